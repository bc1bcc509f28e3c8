import { afterAll, beforeAll, expect, it } from "vitest";
import { closedPort, type RawDestination, startRawDestination } from "../support/destination.js";
import { type AttemptView, eventually, isFinal, startRelay, type TestRelay } from "../support/relay.js";

/** Stands wherever a destination can write something. */
const mark = "written-by-the-destination";

/** What arrives, by what the destination writes once it has the request. */
const answers: Record<string, readonly [text: string, expected: Partial<AttemptView>]> = {
  refusal: [
    `HTTP/1.1 400 ${mark}\r\nx-a: ${mark}\r\nset-cookie: ${mark}\r\ncontent-length: 26\r\n\r\n${mark}`,
    { statusCode: 400, error: null, outcome: "permanent" },
  ],
  trailer: [
    `HTTP/1.1 500 x\r\ntransfer-encoding: chunked\r\n\r\n1;x=${mark}\r\na\r\n0\r\nx-a: ${mark}\r\n\r\n`,
    { statusCode: 500, error: null, outcome: "retryable" },
  ],
  chunk: [
    `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${mark}\r\n`,
    { statusCode: 200, error: null, outcome: "delivered" },
  ],
  interim: [
    `HTTP/1.1 103 ${mark}\r\nlink: ${mark}\r\n\r\nHTTP/1.1 204 ${mark}\r\n\r\n`,
    { statusCode: 204, error: null, outcome: "delivered" },
  ],
  garbage: [`${mark}\r\n\r\n`, { statusCode: null, error: "protocol", outcome: "retryable" }],
  header: [`HTTP/1.1 200 OK\r\n${mark} x: y\r\n\r\n`, { statusCode: null, error: "protocol", outcome: "retryable" }],
  lengths: [
    `HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: ${mark}, chunked\r\n\r\n${mark}`,
    { statusCode: null, error: "protocol", outcome: "retryable" },
  ],
  headers: [
    `HTTP/1.1 200 OK\r\nx-a: ${mark.repeat(1_000)}\r\n\r\n`,
    { statusCode: null, error: "response_too_large", outcome: "retryable" },
  ],
  half: [`HTTP/1.1 200 ${mark}\r\nx-a: ${mark}`, { statusCode: null, error: "reset", outcome: "retryable" }],
};

let relay: TestRelay;
const destinations: RawDestination[] = [];

beforeAll(async () => {
  relay = await startRelay();
});
afterAll(async () => {
  await relay.close();
  await Promise.all(destinations.map((each) => each.close()));
});

type Shown = Record<string, unknown> & { readonly preview?: unknown };

async function attempts(sourceId: string, urls: Record<string, string>): Promise<Record<string, Shown>> {
  const policy = { maxAttempts: 1 };
  const timeouts = { connectSeconds: 1, readSeconds: 1 };
  const made = await relay.source(
    { sourceId },
    ...Object.entries(urls).map(([name, url]) => ({ name, url, policy, timeouts })),
  );
  const answer = await relay.post(`/in/${sourceId}`, "{}", { "content-type": "application/json" });
  const { eventId } = (await answer.json()) as { eventId: string };
  const nameOf = (id: string) => String(made.find(({ subscriptionId }) => subscriptionId === id)?.["name"]);
  const shown: Record<string, Shown> = {};
  for (const { deliveryId, subscriptionId } of await relay.deliveries(eventId, isFinal)) {
    const delivery = await relay.admin<{ attempts: Shown[] }>("GET", `/admin/deliveries/${deliveryId}`);
    expect(delivery.attempts).toHaveLength(1);
    shown[nameOf(subscriptionId)] = delivery.attempts[0] as Shown;
  }
  return shown;
}

it("whatever a destination answers has its outcome, and shows nowhere but in the preview", async () => {
  const urls: Record<string, string> = {};
  for (const [name, [text]] of Object.entries(answers)) {
    const destination = await startRawDestination((socket) => socket.once("data", () => socket.end(text)));
    destinations.push(destination);
    urls[name] = destination.url;
  }
  const shown = await attempts("answers", urls);
  for (const [name, [, expected]] of Object.entries(answers))
    expect({ [name]: shown[name] }).toMatchObject({ [name]: expected });
  expect(shown["refusal"]).toMatchObject({ preview: { text: mark, cut: false } });
  // Nothing came of the body, and it should have.
  expect(shown["chunk"]).toMatchObject({ preview: { text: "", cut: true } });
  expect(shown["interim"]).not.toHaveProperty("preview");
  const rest = Object.values(shown).map(({ preview: _preview, ...others }) => others);
  expect(JSON.stringify(rest)).not.toContain(mark);
  // Lines come by another way than answers.
  const attemptLines = () => relay.lines.filter(({ message }) => message === "attempt").length;
  await eventually(async () => (attemptLines() >= Object.keys(answers).length ? true : undefined));
  expect(JSON.stringify(relay.lines)).not.toContain(mark);
});

it("a destination that cannot be reached, is silent or goes away ends with its error, and a healthy one is served", async () => {
  const onConnect = async (...[then]: Parameters<typeof startRawDestination>) => {
    const destination = await startRawDestination(then);
    destinations.push(destination);
    return destination.url;
  };
  const silent = await onConnect(() => {});
  const shown = await attempts("transport", {
    silent,
    handshake: silent.replace("http:", "https:"),
    closes: await onConnect((socket) => socket.destroy()),
    resets: await onConnect((socket) => socket.once("data", () => socket.resetAndDestroy())),
    refuses: `http://127.0.0.1:${await closedPort()}`,
    healthy: await onConnect((socket) => socket.once("data", () => socket.end("HTTP/1.1 204 No Content\r\n\r\n"))),
  });
  expect(Object.fromEntries(Object.entries(shown).map(([name, { error }]) => [name, error]))).toEqual({
    silent: "read_timeout",
    handshake: "connect_timeout",
    closes: "reset",
    resets: "reset",
    refuses: "refused",
    healthy: null,
  });
});
