import { afterAll, beforeAll, expect, it } from "vitest";
import { type Destination, startDestination, testAuthority, testCertificate } from "../support/destination.js";
import { isFinal, startRelay, type TestRelay } from "../support/relay.js";

const json = { "content-type": "application/json" };
const ca = String(testAuthority());
const clientCertificate = {
  certificate: String(testCertificate("good").cert),
  key: String(testCertificate("good").key),
};

let relay: TestRelay;
let destination: Destination;

beforeAll(async () => {
  relay = await startRelay();
  const tls = { ...testCertificate("good"), ca, requestCert: true, rejectUnauthorized: true };
  destination = await startDestination(200, { tls });
});
afterAll(async () => {
  await destination.close();
  await relay.close();
});

async function attempt(sourceId: string, tls: object) {
  const policy = { maxAttempts: 1 };
  const headers = { authorization: { secret: true, value: "Bearer abcdefgh12" } };
  await relay.source({ sourceId }, { url: destination.url, tls, headers, policy });
  const answer = (await (await relay.post(`/in/${sourceId}`, "{}", json)).json()) as { eventId: string };
  const [delivery] = await relay.deliveries(answer.eventId, isFinal);
  return delivery?.attempts[0];
}

it("a destination that asks for a client certificate gets the subscription's, and its credential", async () => {
  expect(await attempt("with", { ...clientCertificate, ca })).toMatchObject({ statusCode: 200, error: null });
  expect(destination.requests[0]?.headers["authorization"]).toBe("Bearer abcdefgh12");
});

it("a subscription without one is refused by it, also right after another one was served", async () => {
  expect(await attempt("without", { ca })).toMatchObject({ statusCode: null, error: "tls_client_certificate" });
  expect(destination.requests).toHaveLength(1);
});

it("no secret of a subscription is in the log", () => {
  expect(relay.lines.length).toBeGreaterThan(0);
  expect(JSON.stringify(relay.lines)).not.toMatch(/abcdefgh12|PRIVATE KEY/);
});
