import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Destination, startDestination } from "../support/destination.js";
import { eventually, isFinal, startRelay, type TestRelay } from "../support/relay.js";
import { gatedSource, isParked, numberOf, statusesOf } from "./gated-relay.js";

let relay: TestRelay;
let destinations: Destination[] = [];
beforeAll(async () => {
  relay = await startRelay();
});
afterAll(() => relay.close());
afterEach(async () => {
  await Promise.all(destinations.map((each) => each.close()));
  destinations = [];
});

async function aDestination(...given: Parameters<typeof startDestination>): Promise<Destination> {
  const destination = await startDestination(...given);
  destinations.push(destination);
  return destination;
}

const policy = { schedule: { kind: "fixed", baseSeconds: 4 }, jitter: 0 };
const circuit = { failureThreshold: 100 };

/** A source whose first three events wait for a retry. */
async function withRetries(sourceId: string) {
  const destination = await aDestination(503);
  const source = await gatedSource(relay, sourceId, { url: `${destination.url}/hooks`, policy, circuit });
  await source.accept(3);
  await source.deliveries(({ status }) => status === "retry_scheduled");
  return { source, destination };
}

describe("a pause", () => {
  it("parks retries that come due and new events alike, attempts nothing, and shows all of them", async () => {
    const { source, destination } = await withRetries("paused");
    await source.move("pause");
    const attempts = destination.requests.length;
    await source.accept(5);
    await source.deliveries(isParked);
    const listed = await eventually(async () => {
      const items = await source.listed("parked");
      return items.length === 8 ? items : undefined;
    });
    expect(new Set(listed.map(({ eventId }) => eventId))).toEqual(new Set(source.eventIds));
    expect(destination.requests).toHaveLength(attempts);
    expect((await source.view()).gate).toMatchObject({ circuit: "closed", holdsParked: true });

    destination.answer(200);
    await source.move("resume");
    const deliveries = await source.deliveries(isFinal);
    expect(statusesOf(deliveries)).toEqual(new Set(["delivered"]));
    const made = deliveries.map((each) => each.attempts.length);
    expect(made).toEqual([2, 2, 2, 1, 1, 1, 1, 1]);
    expect(await source.listed("parked")).toEqual([]);
  });

  it("lets go in the order in which events were received, page by page, once it is over", async () => {
    const destination = await aDestination(200);
    const source = await gatedSource(relay, "in-order", { url: `${destination.url}/hooks` });
    await source.move("pause");
    await source.accept(25);
    await source.deliveries(isParked);
    await source.move("resume");
    await source.deliveries(isFinal);
    // Ten in the first second, twelve when its tick is late; a page is worked on in parallel.
    const order = destination.requests.map(numberOf);
    expect(Math.max(...order.slice(0, 10))).toBeLessThanOrEqual(12);
    expect(new Set(order).size).toBe(25);
  });
});

describe("a subscription that a 410 disabled", () => {
  it("parks its retries too, until it is resumed", async () => {
    const { source, destination } = await withRetries("gone");
    destination.answer(410);
    await source.accept(1);
    await source.deliveries(isParked);
    expect(await source.view()).toMatchObject({ status: "disabled", statusReason: "gone" });
    const attempts = destination.requests.length;
    destination.answer(200);
    await source.move("resume");
    expect(statusesOf(await source.deliveries(isFinal))).toEqual(new Set(["delivered"]));
    expect(destination.requests).toHaveLength(attempts + 4);
  });
});

describe("a deletion", () => {
  it("ends what is parked at once, and a retry when it comes due, without an attempt", async () => {
    const { source, destination } = await withRetries("deleted");
    await source.move("pause");
    await source.accept(2);
    // An event that is worked on after the deletion goes to nobody.
    await source.deliveries((each) => isParked(each) || each.status === "retry_scheduled");
    const attempts = destination.requests.length;
    await relay.admin("DELETE", source.path);
    const deliveries = await source.deliveries(isFinal);
    expect(new Set(deliveries.map(({ deadLetterReason }) => deadLetterReason))).toEqual(
      new Set(["subscription_deleted"]),
    );
    expect(destination.requests).toHaveLength(attempts);
  });
});
