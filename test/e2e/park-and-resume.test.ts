import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Destination, startDestination } from "../support/destination.js";
import { eventually, isFinal, type SubscriptionView, startRelay, type TestRelay } from "../support/relay.js";

let relay: TestRelay;
let destination: Destination;
beforeAll(async () => {
  relay = await startRelay();
});
afterAll(() => relay.close());
afterEach(() => destination.close());

const json = { "content-type": "application/json" };
let sources = 0;

async function subscribed(): Promise<{ readonly path: string; readonly subscriptionPath: string }> {
  sources += 1;
  const sourceId = `source-${sources}`;
  const [subscription] = await relay.source({ sourceId }, { url: `${destination.url}/hooks` });
  return { path: `/in/${sourceId}`, subscriptionPath: `/admin/subscriptions/${subscription?.subscriptionId}` };
}

async function accepted(path: string, body: string): Promise<string> {
  const answer = await relay.post(path, body, json);
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { eventId: string }).eventId;
}

const parked = (eventId: string) => relay.deliveries(eventId, ({ status }) => status === "parked");

describe("a destination that is gone", () => {
  it("disables its subscription, parks what comes, and gets all of it once it is resumed", async () => {
    const answer = { status: 410 };
    destination = await startDestination(() => answer.status);
    const { path, subscriptionPath } = await subscribed();

    const first = await accepted(path, '{"n":1}');
    const [refused] = await parked(first);
    expect(refused).toMatchObject({ attempts: [{ number: 1, statusCode: 410 }] });
    const disabled = await relay.admin<SubscriptionView>("GET", subscriptionPath);
    expect(disabled).toMatchObject({ status: "disabled", statusReason: "gone", version: 1 });

    const later: string[] = [];
    for (const n of [2, 3]) {
      later.push(await accepted(path, `{"n":${n}}`));
      const [waiting] = await parked(later.at(-1) as string);
      expect(waiting).toMatchObject({ attempts: [], deadLetterReason: null });
    }
    expect(destination.requests).toHaveLength(1);

    answer.status = 200;
    const resumed = await relay.admin<SubscriptionView>("POST", `${subscriptionPath}/resume`, {});
    expect(resumed).toMatchObject({ status: "active", statusReason: null });
    for (const eventId of [first, ...later]) {
      const [delivery] = await relay.deliveries(eventId, isFinal);
      expect(delivery?.status).toBe("delivered");
    }
    const [again] = await relay.deliveries(first, isFinal);
    expect(again?.attempts.map(({ statusCode }) => statusCode)).toEqual([410, 200]);
    expect(new Set(destination.requests.slice(1).map(({ body }) => body.toString()))).toEqual(
      new Set(['{"n":1}', '{"n":2}', '{"n":3}']),
    );
  });

  it("has moved: a resume right after the change of the URL takes what waits there, and nothing disables it again", async () => {
    destination = await startDestination(({ target }) => (target === "/moved" ? 200 : 410));
    const { path, subscriptionPath } = await subscribed();
    const eventIds = [await accepted(path, '{"n":1}')];
    await parked(eventIds[0] as string);
    for (const n of [2, 3]) eventIds.push(await accepted(path, `{"n":${n}}`));
    for (const eventId of eventIds) await parked(eventId);
    await relay.admin("PATCH", subscriptionPath, { url: `${destination.url}/moved` });
    await relay.admin("POST", `${subscriptionPath}/resume`, {});
    const attempts: (number | null)[][] = [];
    for (const eventId of eventIds) {
      const [delivery] = await relay.deliveries(eventId, isFinal);
      attempts.push(delivery?.attempts.map(({ statusCode }) => statusCode) ?? []);
    }
    expect(attempts).toEqual([[410, 200], [200], [200]]);
    expect(await relay.admin<SubscriptionView>("GET", subscriptionPath)).toMatchObject({
      status: "active",
      version: 2,
    });
  });
});

describe("a paused subscription", () => {
  it("parks what comes without an attempt, shows it, and delivers it once it is resumed", async () => {
    destination = await startDestination(200);
    const { path, subscriptionPath } = await subscribed();
    const paused = await relay.admin<SubscriptionView>("POST", `${subscriptionPath}/pause`, {});
    expect(paused).toMatchObject({ status: "paused", statusReason: "operator" });
    const eventIds: string[] = [];
    for (const n of [1, 2, 3]) eventIds.push(await accepted(path, `{"n":${n}}`));
    for (const eventId of eventIds) expect((await parked(eventId))[0]?.attempts).toEqual([]);
    expect(destination.requests).toHaveLength(0);
    const stats = await eventually(async () => {
      const { deliveries } = await relay.admin<{ deliveries: { parked: { count: number } } }>("GET", "/admin/stats");
      return deliveries.parked.count === 3 ? deliveries : undefined;
    });
    expect(stats.parked).toEqual({ count: 3, atLeast: false });
    await relay.admin("POST", `${subscriptionPath}/resume`, {});
    for (const eventId of eventIds) {
      expect((await relay.deliveries(eventId, isFinal))[0]).toMatchObject({ status: "delivered" });
    }
    expect(destination.requests).toHaveLength(3);
  });
});
