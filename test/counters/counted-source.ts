import { createHmac } from "node:crypto";
import type { Recording } from "../support/counting-recorder.js";
import type { CountingRelay } from "../support/counting-relay.js";
import type { HttpApiRequest } from "../support/http-api-event.js";
import { seededRandom } from "../support/virtual-clock.js";

/** A source whose requests are counted. */
export interface CountedSource {
  /** Of its first subscription. */
  readonly subscriptionId: string;
  /** A request that the source takes, with a delivery id of its own. Another body than the usual one is JSON if it says so. */
  event(body?: Buffer, contentType?: string): HttpApiRequest;
  pause(): Promise<Recording>;
  /** Its first subscription hangs. */
  slowDown(): Promise<Recording>;
  resume(): Promise<Recording>;
}

const secret = "a secret of usual length, 32 bytes";

/** A verifying, deduplicating source with these subscriptions; everything else as it is by default. */
export async function aSource(relay: CountingRelay, ...subscriptions: readonly object[]): Promise<CountedSource> {
  const { body: source } = await relay.admin("POST", "/admin/sources", {
    verification: { scheme: "github", secrets: [secret], onFailure: "reject" },
    dedupe: { from: "header", name: "x-github-delivery" },
    eventType: { from: "header", name: "x-github-event" },
  });
  const path = `/admin/sources/${source.sourceId}/subscriptions`;
  const ids: string[] = [];
  for (const each of subscriptions) {
    const { body } = await relay.admin("POST", path, { url: relay.destination.url, ...each });
    ids.push(body.subscriptionId);
  }
  const move = async (to: string) => (await relay.admin("POST", `/admin/subscriptions/${ids[0]}/${to}`)).recording;
  return {
    subscriptionId: ids[0] ?? "",
    event: (body = usualBody, contentType = body === usualBody ? json : "application/octet-stream") =>
      githubRequest(source.sourceId, body, contentType),
    pause: () => move("pause"),
    slowDown: () => relay.noteSlow(ids[0] as string),
    resume: () => move("resume"),
  };
}

export const json = "application/json";

let requests = 0;

function githubRequest(sourceId: string, body: Buffer, contentType: string): HttpApiRequest {
  const delivery = `72d3162e-cc78-11e3-81ab-${String(++requests).padStart(12, "0")}`;
  return {
    path: `/in/${sourceId}`,
    headers: {
      "content-type": contentType,
      "user-agent": "GitHub-Hookshot/044aadd",
      "x-github-delivery": delivery,
      "x-github-event": "issues",
      "x-github-hook-id": "292430182",
      "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    },
    body,
  };
}

/** Half a KB of JSON, as small events of providers are. */
const usualBody = Buffer.from(
  JSON.stringify({
    action: "opened",
    issue: { number: 1347, title: "Found a bug", state: "open", labels: ["bug", "help wanted"], comments: 0 },
    repository: { id: 1296269, full_name: "octocat/Hello-World", private: false, default_branch: "main" },
    url: "https://api.example.com/repos/octocat/Hello-World/issues/1347?since=2011-04-22T13:33:48Z&page=2",
    organization: { login: "octocat-team", id: 9919 },
    sender: { login: "octocat", id: 583231, type: "User", site_admin: false },
  }),
);

/** Bytes that no compression makes smaller. */
export function randomBody(bytes: number): Buffer {
  const random = seededRandom(1);
  return Buffer.from(Array.from({ length: bytes }, () => Math.floor(random() * 256)));
}
