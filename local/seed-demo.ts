/** Sees to it that a newcomer has something to post to: source `demo`, delivering to the built-in sink. */

/** Short delays, so that a retry is seen within a minute; every other setting is the default. */
const demoPolicy = { schedule: { kind: "table", delaysSeconds: [3, 10, 20] }, maxAttempts: 4 };

interface SubscriptionView {
  readonly subscriptionId: string;
  readonly name?: string | null;
  readonly url: string;
}

/** Creates what is absent through the relay's own admin API, and follows a changed port; leaves the rest alone. */
export async function seedDemo(gatewayUrl: string): Promise<void> {
  const sinkUrl = `${gatewayUrl}/sink`;
  const source = await call(gatewayUrl, "GET", "/admin/sources/demo");
  if (source === null) await call(gatewayUrl, "POST", "/admin/sources", { sourceId: "demo" });
  const subscriptions = "/admin/sources/demo/subscriptions";
  const listed = (await call(gatewayUrl, "GET", subscriptions)) as { items: SubscriptionView[] } | null;
  const sink = listed?.items.find(({ name }) => name === "sink");
  if (sink === undefined) {
    await call(gatewayUrl, "POST", subscriptions, { name: "sink", url: sinkUrl, policy: demoPolicy });
  } else if (sink.url !== sinkUrl && isSinkOfAnotherPort(sink.url)) {
    await call(gatewayUrl, "PATCH", `/admin/subscriptions/${sink.subscriptionId}`, { url: sinkUrl });
  }
}

/** A URL that somebody chose is not touched. */
const isSinkOfAnotherPort = (url: string): boolean => /^http:\/\/127\.0\.0\.1:\d+\/sink$/.test(url);

/** Null for a 404 to a GET; any other failure rejects with what the relay said. */
async function call(gatewayUrl: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const headers = { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
  const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
  const response = await fetch(gatewayUrl + path, init);
  const text = await response.text();
  if (response.status === 404 && method === "GET") return null;
  if (!response.ok) throw new Error(`seeding the demo: ${method} ${path} answered ${response.status} ${text}`);
  return text === "" ? null : JSON.parse(text);
}
