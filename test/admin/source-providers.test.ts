import { afterAll, beforeAll, expect, test } from "vitest";
import { providers, signsUrl, withProvider } from "../../functions/core/providers.js";
import { type AdminRelay, startAdminRelay } from "../support/admin-relay.js";
import { providerRequests, publicUrlOf } from "../support/provider-requests.js";

let relay: AdminRelay;
beforeAll(async () => {
  relay = await startAdminRelay();
});
afterAll(() => relay.close());

const secretOf = (name: string) => providerRequests.find(({ provider }) => provider === name)?.secret ?? null;

test.each(providers.map((each) => [each.name, each] as const))(
  "the preset %s makes a source",
  async (name, provider) => {
    const secret = secretOf(name);
    const verification = {
      ...(secret === null ? {} : { secrets: [secret] }),
      ...(signsUrl(provider) ? { publicUrl: publicUrlOf(name) } : {}),
    };
    const handshake = provider.handshake === "meta" ? { handshake: { verifyToken: "a token" } } : {};
    const document = withProvider(provider, {
      ...(Object.keys(verification).length === 0 ? {} : { verification }),
      ...handshake,
    });
    const { status, body } = await relay.call("POST", "/admin/sources", { sourceId: name, ...document });
    expect(status, JSON.stringify(body)).toBe(201);
    const { answer, dedupe, eventType } = provider;
    expect(body).toMatchObject({ answer, dedupe, eventType });
    expect(body.handshake?.kind ?? null).toBe(provider.handshake);
    expect(body.verification?.scheme ?? null).toBe(provider.verification?.scheme ?? null);
  },
);

test.each(providers.filter(({ secret }) => secret !== null).map((each) => [each.name, each] as const))(
  "the preset %s is refused without its secret",
  async (name, provider) => {
    const url = signsUrl(provider) ? { verification: { publicUrl: publicUrlOf(name) } } : {};
    const { status, body } = await relay.call("POST", "/admin/sources", withProvider(provider, url));
    expect(status).toBe(400);
    expect(body.errors.map(({ field }: { field: string }) => field)).toContain("verification.secrets");
  },
);
