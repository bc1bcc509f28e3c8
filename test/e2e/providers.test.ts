import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { providerOf, signsUrl } from "../../functions/core/providers.js";
import { runCli } from "../cli/run-cli.js";
import { type Destination, startDestination } from "../support/destination.js";
import { forged, type ProviderRequest, providerRequests, publicUrlOf } from "../support/provider-requests.js";
import { eventually, startRelay, type TestRelay } from "../support/relay.js";

/** The one command of each provider, then what the provider sends, on the deployed bundles. */

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

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

async function createSource({ provider: name, secret }: ProviderRequest): Promise<void> {
  const provider = providerOf(name);
  const args = [
    ...(secret === null ? [] : ["--secret", "env:PROVIDER_SECRET"]),
    ...(provider?.handshake === "meta" ? ["--verify-token", "env:VERIFY_TOKEN"] : []),
    ...(provider !== null && signsUrl(provider) ? ["--public-url", publicUrlOf("src")] : []),
  ];
  const env = { STEADYHOOK_URL: relay.engine.gatewayUrl, VERIFY_TOKEN: "a token", PROVIDER_SECRET: secret ?? "" };
  const { code, stderr } = await runCli(["sources", "create", name, "--provider", name, ...args], { env });
  expect([code, stderr]).toEqual([0, ""]);
  await relay.admin("POST", `/admin/sources/${name}/subscriptions`, { url: `${destination.url}/${name}` });
}

const post = (name: string, { headers, body }: { headers: Readonly<Record<string, string>>; body: string }) =>
  relay.post(`/in/${name}`, body, headers);

// Its certificate would have to be fetched from Amazon.
const local = providerRequests.filter(({ provider }) => provider !== "sns");

describe("one command", () => {
  it.concurrent.each(local.map((each) => [each.provider, each] as const))(
    "connects %s: what it sends is delivered, what it did not sign is refused",
    async (name, sample) => {
      await createSource(sample);
      const sent = sample.request(Date.now());
      if (providerOf(name)?.verification !== null) expect((await post(name, forged(sent))).status).toBe(401);
      expect([200, 202, 204]).toContain((await post(name, sent)).status);
      const arrived = await eventually(async () => destination.requests.find(({ target }) => target === `/${name}`));
      expect(arrived.sha256).toBe(sha256(sent.body));
      expect(destination.requests.filter(({ target }) => target === `/${name}`)).toHaveLength(1);
    },
  );
});
