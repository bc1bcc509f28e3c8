import type { AxiosRequestConfig, AxiosResponse } from "axios";
import { OpenAPIClientAxios } from "openapi-client-axios";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isFinal, startRelay, type TestRelay } from "../support/relay.js";

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay();
});
afterAll(() => relay.close());

type Call = (parameters?: unknown, body?: unknown, config?: AxiosRequestConfig) => Promise<AxiosResponse>;

describe("a client that is generated from the relay's own OpenAPI document", () => {
  it("sets a source up, publishes, and lists the deliveries", async () => {
    const baseURL = relay.engine.gatewayUrl;
    const api = new OpenAPIClientAxios({
      definition: `${baseURL}/admin/openapi.json`,
      axiosConfigDefaults: { baseURL, headers: { "content-type": "application/json" } },
    });
    const client = (await api.init()) as unknown as Readonly<Record<string, Call>>;
    const call = async (operation: string, parameters?: unknown, body?: unknown) =>
      (await (client[operation] as Call)(parameters, body)).data;

    await call("putSource", { sourceId: "shop" }, { description: "Orders" });
    const name = { sourceId: "shop", name: "sink" };
    const { subscriptionId } = await call("putSubscription", name, { url: `${baseURL}/sink` });
    const { eventId } = await call("publish", { sourceId: "shop" }, { amount: 100 });
    await relay.deliveries(eventId, isFinal);

    const page = await call("listDeliveries", { subscriptionId, status: "delivered", limit: 1 });
    expect(page.items).toMatchObject([{ eventId, sourceId: "shop", attempts: [{ statusCode: 200 }] }]);
    expect((await call("listEvents", { sourceId: "shop" })).items).toMatchObject([{ eventId, state: null }]);
    expect((await call("getStats")).deliveries.deadLettered).toEqual({ count: 0, atLeast: false });
    await expect(call("getDelivery", { deliveryId: "dlv_none" })).rejects.toMatchObject({
      response: { status: 404, data: { code: "unknown_delivery" } },
    });
  });
});
