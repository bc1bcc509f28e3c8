import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { releaseParked } from "../../functions/app/control/release-parked.js";
import { decodeRelease } from "../../functions/app/messages.js";
import { type Fixture, fixtures, shapesOf } from "./fixtures.js";
import { newerField, oldRelay } from "./old-relay.js";
import { body, deliveryId, guard, subscriptionId } from "./subjects.js";

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
  it.each(variants("event-inline", "event-bucket"))("is delivered, byte for byte: $title", async ({ value }) => {
    expect(await relay.receive(value)).toEqual([]);
    expect(relay.requests.map((request) => request.body.toString())).toEqual([body.toString()]);
    expect(relay.requests[0]?.url).toBe("https://destination.example/hooks/invoices?a=1");
    expect((await relay.delivery())?.status).toBe("delivered");
  });
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

describe("a queued release", () => {
  it.each(variants("release", "release-next-page"))("goes on: $title", async ({ value }) => {
    await relay.put(item("event-inline"), item("delivery-parked"), item("gate-holds-parked"));
    const { context, parked, control } = relay;
    await releaseParked({ ...context, parked, control }, { ...decodeRelease(JSON.stringify(value)), after: null });
    expect(relay.sent).toMatchObject([{ deliveryId, subscriptionId, attempt: 2 }]);
  });
});

describe("a message that this version cannot read", () => {
  it.each(messages("event-inline", "delivery"))("is kept as a fault with a reason: $file", async ({ value }) => {
    expect(await relay.receive({ ...value, v: 2 })).toEqual([]);
    expect(relay.faulted).toMatchObject([
      { cause: expect.stringContaining("v is not a version that this relay reads") },
    ]);
  });
});
