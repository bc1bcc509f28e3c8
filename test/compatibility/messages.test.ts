import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { processReplayTick } from "../../functions/app/control/replay-tick.js";
import { processTick } from "../../functions/app/control/tick.js";
import { decodeControl, decodeTick } from "../../functions/app/messages.js";
import { type Fixture, fixtures, shapesOf } from "./fixtures.js";
import { newerField, oldRelay } from "./old-relay.js";
import { body, deliveryId, guard, startMs, subscriptionId } from "./subjects.js";

/** Messages that were queued before a deployment are worked on after it. */

let relay: Awaited<ReturnType<typeof oldRelay>>;
beforeEach(async () => {
  relay = await oldRelay();
  await relay.put(...config());
});
afterEach(() => relay.close());

const item = (name: string): Fixture["value"] => shapesOf("items", name)[0]?.value ?? {};
const config = () => [item("source"), item("subscription"), item("gate")];
const messages = (...names: string[]) => fixtures("messages").filter(({ name }) => names.includes(name));

/** As it was written, and as a newer version would write it: with more fields than are known. */
const variants = (...names: string[]) =>
  messages(...names).flatMap(({ file, value }) => [
    { title: file, value },
    { title: `${file} with fields of a newer version`, value: { ...value, ...newerField } },
  ]);

describe("a queued event message", () => {
  it.each(variants("event-inline", "event-bucket", "event-released"))(
    "is delivered, byte for byte: $title",
    async ({ value }) => {
      expect(await relay.receive(value)).toEqual([]);
      expect(relay.requests.map((request) => request.body.toString())).toEqual([body.toString()]);
      expect(relay.requests[0]?.url).toBe("https://destination.example/hooks/invoices?a=1");
      expect((await relay.delivery())?.status).toBe("delivered");
    },
  );
});

describe("a queued delivery message", () => {
  it.each(variants("delivery", "delivery-redriven"))(
    "makes the attempt that it stands for: $title",
    async ({ value }) => {
      await relay.put(item("event-inline"), item("delivery-retry-scheduled"));
      expect(await relay.receive(value)).toEqual([]);
      expect(relay.requests.map((request) => request.body.toString())).toEqual([body.toString()]);
      expect(await relay.delivery()).toMatchObject({ status: "delivered", attemptsStarted: 2 });
    },
  );

  it.each(variants("delivery-stored"))("makes a first attempt that was parked: $title", async ({ value }) => {
    const { attempts: _a, token: _t, ...parked } = item("delivery-parked");
    await relay.put(item("event-inline"), { ...parked, attemptsStarted: 0 });
    expect(await relay.receive(value)).toEqual([]);
    expect(await relay.delivery()).toMatchObject({ status: "delivered", attemptsStarted: 1 });
  });

  it.each(variants("delivery-with-slot"))("makes its attempt in the slot that it has: $title", async ({ value }) => {
    await relay.put(item("event-inline"), item("delivery-retry-scheduled"), item("gate-released"));
    relay.clock.set(Number(value["slotAtMs"]));
    expect(await relay.receive(value)).toEqual([]);
    expect((await relay.delivery())?.status).toBe("delivered");
    // No other slot was reserved.
    expect((await relay.context.gates.find(subscriptionId))?.nextFreeAtMs).toBe(item("gate-released")["nextFreeAtMs"]);
  });

  it.each(variants("delivery-repair"))("takes over an attempt that died: $title", async ({ value }) => {
    await relay.put(item("event-inline"), item("delivery-attempting"));
    relay.clock.advance(3600);
    expect(await relay.receive(value)).toEqual([]);
    expect(await relay.delivery()).toMatchObject({ status: "retry_scheduled", attempts: [{ outcome: "unknown" }] });
  });

  it.each(variants("delivery-announced-again"))("repairs what its event message claimed: $title", async ({ value }) => {
    await relay.put(item("event-inline"), item("delivery-attempting"));
    relay.clock.advance(3600);
    expect(await relay.receive(value)).toEqual([]);
    expect(await relay.delivery()).toMatchObject({ status: "retry_scheduled", attempts: [{ outcome: "unknown" }] });
  });

  it("is still the guard of its claim when it comes back from the faults", async () => {
    const [redriven] = messages("delivery-redriven");
    const claimed = { ...item("delivery-attempting-again"), guard };
    await relay.put(item("event-inline"), claimed);
    relay.clock.advance(3600);
    await relay.receive(redriven?.value ?? {}, "another-id");
    expect((await relay.delivery())?.attempts.at(-1)).toMatchObject({ number: 2, outcome: "unknown" });
  });
});

describe("a queued tick", () => {
  it.each(variants("tick"))("makes its gate's step: $title", async ({ value }) => {
    await relay.put(item("event-inline"), item("delivery-parked"), item("gate-closed"));
    relay.clock.set(startMs + 22_000);
    await tick(value);
    expect(relay.sent).toMatchObject([{ deliveryId, subscriptionId, attempt: 2 }]);
  });
});

describe("a queued request for ticks", () => {
  it.each(variants("tick-asked-for", "release", "release-next-page"))(
    "sets ticks going that release: $title",
    async ({ value }) => {
      await relay.put(item("event-inline"), item("delivery-parked"), item("gate-holds-parked"));
      await tick(value);
      expect(relay.sent).toMatchObject([{ deliveryId, subscriptionId, attempt: 2 }]);
      expect([...relay.control.control.messages.values()].map(({ body }) => decodeTick(body))).toMatchObject([
        { seq: 1 },
      ]);
    },
  );
});

describe("a queued tick of a bulk replay", () => {
  it.each(variants("replay-tick"))("makes its page: $title", async ({ value }) => {
    const { attempts, ...dead } = item("delivery-dead-lettered");
    const refused = (attempts as object[]).map((attempt) => ({ ...attempt, error: "refused" }));
    const original = { ...dead, attempts: refused, deadLetterReason: "exhausted", updatedAtMs: startMs };
    const job = item("bulk-replay");
    const filter = { ...(job["filter"] as object), untilMs: startMs + 1 };
    await relay.put(item("source"), item("subscription"), original, { ...job, filter });
    relay.clock.set(startMs + 1_000);
    const { context, settings, replayTicks } = relay;
    const message = decodeControl(JSON.stringify(value));
    if (message.kind === "replay") {
      await processReplayTick({ ...context, ...replayTicks, subscriptions: settings }, message, "a-message");
    }
    expect(relay.sent).toMatchObject([{ subscriptionId, attempt: 1, stored: true }]);
    expect(await context.replays.findReplay(String(value["replayId"]))).toMatchObject({
      state: "done",
      counts: { replayed: 1 },
    });
  });
});

async function tick(message: Fixture["value"]): Promise<void> {
  const { context, parked, control, settings } = relay;
  await processTick(
    { ...context, subscriptions: settings, parked, control },
    decodeTick(JSON.stringify(message)),
    "a-tick",
  );
}

describe("a message that this version cannot read", () => {
  it.each(messages("event-inline", "delivery"))("is kept as a fault with a reason: $file", async ({ value }) => {
    expect(await relay.receive({ ...value, v: 2 })).toEqual([]);
    expect(relay.faulted).toMatchObject([
      { cause: expect.stringContaining("v is not a version that this relay reads") },
    ]);
  });
});
