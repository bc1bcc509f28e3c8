import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { HttpSender } from "../../functions/adapters/http/sender.js";
import { invocationTime } from "../../functions/app/delivery/invocation-time.js";
import { processBatch } from "../../functions/app/delivery/process-batch.js";
import { decodeMessage } from "../../functions/app/messages.js";
import { anEvent, aSubscription } from "../support/builders.js";
import { type Destination, startDestination } from "../support/destination.js";
import { memoryRelay } from "../support/memory-relay.js";
import { eventually, startRelay } from "../support/relay.js";

let destinations: Destination[] = [];
afterEach(async () => {
  await Promise.all(destinations.map((each) => each.close()));
  destinations = [];
});

async function aDestination(...script: Parameters<typeof startDestination>): Promise<Destination> {
  const destination = await startDestination(...script);
  destinations.push(destination);
  return destination;
}

describe("a batch of ten with nine destinations that hang", () => {
  /** Time of the invocation: sends end after six of them, the rest is for recording. */
  const remainingMs = 9_000;

  it("delivers the tenth in its own time, and records all ten before the function's limit", async () => {
    const [hanging, healthy] = [await aDestination("hang"), await aDestination(200)];
    const relay = memoryRelay({
      subscriptions: [
        aSubscription({ url: `${hanging.url}/` }),
        aSubscription({ subscriptionId: "sub_b", sourceId: "healthy", url: `${healthy.url}/` }),
      ],
    });
    for (let number = 0; number < 9; number++) await relay.accept(anEvent(undefined, { eventId: `evt_${number}` }));
    await relay.accept(anEvent(undefined, { eventId: "evt_10", sourceId: "healthy" }));
    const sender = new HttpSender({ now: relay.clock.now, allowLoopback: true });
    onTestFinished(() => sender.close());
    const after = (afterMs: number, run: () => void) => {
      const timer = setTimeout(run, afterMs);
      return () => clearTimeout(timer);
    };

    const startedAtMs = Date.now();
    const batch = relay.queue.delivery.receive();
    const time = invocationTime(relay.clock.now(), remainingMs);
    const ends = processBatch({ ...relay.context, sender, after }, batch, time);
    const to = (id: string) =>
      [...relay.deliveries.deliveries.values()].filter(({ subscriptionId }) => subscriptionId === id);
    await eventually(async () => to("sub_b").find(({ status }) => status === "delivered"));
    const others = to("sub_a");
    expect(others.map(({ status }) => status)).toEqual(Array(9).fill("attempting"));
    expect(await ends).toEqual([]);
    expect(Date.now() - startedAtMs).toBeLessThan(remainingMs);

    for (const { deliveryId } of others) {
      const recorded = relay.deliveries.deliveries.get(deliveryId);
      expect(recorded).toMatchObject({ status: "retry_scheduled", attempts: [{ error: "deadline" }] });
    }
    const retries = [...relay.queue.slow.messages.values()].map(({ body }) => decodeMessage(body));
    expect(retries).toHaveLength(9);
    expect(retries).toMatchObject(Array(9).fill({ subscriptionId: "sub_a", attempt: 2 }));
  });
});

describe("a destination that hangs, on the local relay", () => {
  it("gets what comes next by the slow lane, while its first request is still open", async () => {
    const relay = await startRelay({ environment: { LOG_LEVEL: "debug" } });
    onTestFinished(() => relay.close());
    const destination = await aDestination(["hang", 200]);
    const [subscription] = await relay.source({ sourceId: "slow" }, { url: `${destination.url}/hooks` });
    const { subscriptionId } = subscription ?? {};
    const accepted = async () => ((await (await relay.post("/in/slow", "{}")).json()) as { eventId: string }).eventId;
    const line = (message: string) => eventually(async () => relay.lines.find((each) => each["message"] === message));

    const first = await accepted();
    expect(await line("attempt hangs")).toMatchObject({ subscriptionId });
    const second = await accepted();
    const [delivery] = await relay.deliveries(second, ({ status }) => status === "delivered");
    const handedOver = { deliveryId: delivery?.deliveryId, attempt: 1, lane: "slow" };
    expect(await line("handed over")).toMatchObject(handedOver);
    const [open] = await relay.deliveries(first, () => true);
    expect(open?.status).toBe("attempting");
    destination.dropConnections();
    const retried = await relay.deliveries(first, ({ attempts }) => attempts.length === 1);
    expect(retried).toMatchObject([{ status: "retry_scheduled", attempts: [{ error: "reset" }] }]);
  });
});
