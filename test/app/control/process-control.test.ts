import { expect, it } from "vitest";
import { processControl } from "../../../functions/app/control/process-control.js";
import { encodeTick } from "../../../functions/app/messages.js";
import { memoryRelay } from "../../support/memory-relay.js";

const faults = { storeFault: () => Promise.reject(new Error("no table")) } as never;
const fault = { queue: "delivery", messageId: "m-0", cause: null, body: "{}" } as const;

/** A relay whose gates are out of reach, with a tick on its control queue. */
async function brokenRelay() {
  const relay = memoryRelay({ subscriptions: [] });
  const gates = { ...relay.ticks.gates, find: () => Promise.reject(new Error("throttled")) };
  await relay.queue.sendTick({ v: 1, kind: "tick", subscriptionId: "sub_a", seq: 1, generation: 0 }, 0);
  return { relay, context: { ...relay.ticks, gates, faults, inbox: relay.queue } };
}

it("hands a tick back that failed on our side, for longer each time, and not for the queue's minutes", async () => {
  const { relay, context } = await brokenRelay();
  const waits: number[] = [];
  for (let receives = 0; receives < 3; receives++) {
    const [record] = relay.queue.control.receive();
    if (record === undefined) throw new Error("the tick is not visible");
    expect(await processControl(context, [{ from: "control", ...record }])).toEqual([record.messageId]);
    const seconds = ((relay.queue.control.nextVisibleAtMs() ?? 0) - relay.clock.now()) / 1000;
    waits.push(seconds);
    relay.clock.advance(seconds);
  }
  expect(waits).toEqual([10, 20, 40]);
});

it("leaves a message to its queue that cannot be handed back, and goes on with the next one", async () => {
  const { context } = await brokenRelay();
  const inbox = { returnTick: () => Promise.reject(new Error("throttled")) };
  const body = encodeTick({ v: 1, kind: "tick", subscriptionId: "sub_a", seq: 1, generation: 0 });
  const record = { from: "control", messageId: "m-1", body, receiptHandle: "r", receiveCount: 1 } as const;
  const failed = await processControl({ ...context, inbox }, [record, { from: "fault", messageId: "m-2", fault }]);
  expect(failed).toEqual(["m-1", "m-2"]);
});
