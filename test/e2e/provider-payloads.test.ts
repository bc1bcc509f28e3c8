import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Destination, startDestination } from "../support/destination.js";
import { eventually, startRelay, type TestRelay } from "../support/relay.js";

interface Examples {
  readonly name: string;
  readonly examples: readonly unknown[];
}

const examples = createRequire(import.meta.url)(
  "@octokit/webhooks-examples/api.github.com/index.json",
) as readonly Examples[];

let relay: TestRelay;
let destination: Destination;
beforeAll(async () => {
  relay = await startRelay();
  destination = await startDestination(200);
});
afterAll(async () => {
  await relay.close();
  await destination.close();
});

describe("GitHub's example payloads", () => {
  it("all arrive with equal bytes and headers, none lost, none twice", async () => {
    await relay.source(
      { sourceId: "github", dedupe: { from: "header", name: "x-github-delivery" } },
      { url: `${destination.url}/hooks` },
    );
    const sent = examples.flatMap(({ name, examples: payloads }) =>
      payloads.map((payload, index) => ({ id: `${name}-${index}`, event: name, body: JSON.stringify(payload) })),
    );
    expect(sent.length).toBeGreaterThan(100);
    const lanes = Array.from({ length: 8 }, (_value, lane) => sent.filter((_payload, index) => index % 8 === lane));
    await Promise.all(lanes.map(sendAll));
    await eventually(async () => (destination.requests.length >= sent.length ? true : undefined), 120_000);
    const arrived = destination.requests.map(({ headers, sha256 }) => [
      headers["x-github-delivery"],
      headers["x-github-event"],
      headers["content-type"],
      sha256,
    ]);
    const expected = sent.map(({ id, event, body }) => {
      return [id, event, "application/json", createHash("sha256").update(body).digest("hex")];
    });
    const byId = (a: readonly unknown[], b: readonly unknown[]) => String(a[0]).localeCompare(String(b[0]));
    expect(arrived.toSorted(byId)).toEqual(expected.toSorted(byId));
  });
});

async function sendAll(payloads: readonly { id: string; event: string; body: string }[]): Promise<void> {
  for (const { id, event, body } of payloads) {
    const headers = { "content-type": "application/json", "x-github-event": event, "x-github-delivery": id };
    expect((await relay.post("/in/github", body, headers)).status).toBe(202);
  }
}
