import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UnknownItemVersionError } from "../../functions/adapters/aws/item-version.js";
import { gateKey } from "../../functions/adapters/aws/keys.js";
import { sweep } from "../../functions/app/control/sweep.js";
import { redriveFault } from "../../functions/app/faults/redrive-fault.js";
import { asFixture, type Fixture, shapesOf } from "./fixtures.js";
import { newerField, oldRelay } from "./old-relay.js";
import * as subjects from "./subjects.js";

/** Items that lie in a table since an earlier version are read, and worked on. */

const { deliveryId, event, guard, signingSecret, sourceId, startMs, subscriptionId } = subjects;

let relay: Awaited<ReturnType<typeof oldRelay>>;
beforeEach(async () => {
  relay = await oldRelay();
});
afterEach(() => relay.close());

const item = (name: string): Fixture["value"] => shapesOf("items", name)[0]?.value ?? {};
const message = (name: string): Fixture["value"] => shapesOf("messages", name)[0]?.value ?? {};
const config = () => [item("source"), item("subscription"), item("gate"), item("event-inline")];

/** Every shape of an item, and the same with what a newer version may have added. */
const shapes = (name: string) =>
  shapesOf("items", name).flatMap(({ file, value }) => [
    { title: file, value },
    { title: `${file} with attributes of a newer version`, value: { ...value, ...newerField } },
  ]);

/** Bytes have many types; a fixture has one. */
const asStored = (value: unknown): unknown => JSON.parse(asFixture(value));

/** What a newer version added is still there. */
async function expectUntouched(value: Fixture["value"]): Promise<void> {
  const { addedLater } = await relay.deliveryItem();
  expect(addedLater).toEqual(value["addedLater"]);
}

describe("a stored source", () => {
  it.each(shapes("source"))("is read with its secrets: $title", async ({ value }) => {
    await relay.put(value);
    expect(await relay.sources.find(sourceId)).toMatchObject({
      ...subjects.source,
      secretValues: [{ id: subjects.source.secrets[0]?.id, value: "shared secret" }],
    });
  });
});

describe("a stored source with a handshake", () => {
  it.each(shapes("source-with-handshake"))("is read with its verify token apart: $title", async ({ value }) => {
    await relay.put(value);
    expect(await relay.sources.find(subjects.sourceWithHandshake.sourceId)).toMatchObject({
      ...subjects.sourceWithHandshake,
      secretValues: [{ id: subjects.source.secrets[0]?.id, value: "shared secret" }],
      verifyToken: "verify token",
    });
  });
});

describe("a stored source with a template of its own", () => {
  it.each(shapes("source-with-template"))("is read with all its options: $title", async ({ value }) => {
    await relay.put(value);
    expect(await relay.sources.find(subjects.sourceWithTemplate.sourceId)).toMatchObject({
      ...subjects.sourceWithTemplate,
      secretValues: [{ id: subjects.source.secrets[0]?.id, value: "shared secret" }],
    });
  });
});

describe("a stored subscription", () => {
  it.each(shapes("subscription"))("is read with its secrets and completed: $title", async ({ value }) => {
    await relay.put(value);
    const { policy: _policy, timeouts: _timeouts, circuit: _circuit, ...given } = subjects.subscription;
    expect(await relay.context.subscriptions.open(sourceId, subscriptionId)).toMatchObject({
      ...given,
      policy: { maxAttempts: 3, rules: "strict" },
      timeouts: { connectSeconds: 5, readSeconds: 60 },
      circuit: { failureThreshold: 7 },
      secretValues: [{ id: subjects.subscription.secrets[0]?.id, value: signingSecret }],
    });
  });

  it.each(shapes("subscription-deleted"))("is a tombstone: $title", async ({ value }) => {
    await relay.put(value);
    expect((await relay.context.subscriptions.open(sourceId, subscriptionId))?.deletedAtMs).toBe(startMs + 2000);
  });
});

describe("a stored gate", () => {
  it.each([
    ["gate", { status: "active", holdsParked: false }],
    ["gate-holds-parked", { status: "active", holdsParked: true }],
    ["gate-disabled", { status: "disabled", statusReason: "gone", holdsParked: true }],
    ["gate-deleted", { status: "disabled", statusReason: "deleted" }],
    ["gate-counting", { counts: { inARow: 3, failures: 3, minuteAttempts: 3, minuteFailures: 3 } }],
    ["gate-held", { heldUntilMs: startMs + 60_000, tick: { seq: 1, dueAtMs: startMs + 60_000 } }],
    ["gate-open", { generation: 2, circuit: { openedAtMs: startMs + 1_000, probes: 0, refusedProbes: 0 } }],
    ["gate-half-open", { circuit: { probe: { deliveryId }, probes: 1 }, tick: { by: "a-tick" } }],
    ["gate-closed", { status: "active", generation: 3, tick: { seq: 4, generation: 3 } }],
    [
      "gate-released",
      { release: { released: 1, lastPass: false, pace: { perSecond: 10 } }, nextFreeAtMs: 1767268821050 },
    ],
    ["gate-release-over", { holdsParked: false, release: { endedAtMs: startMs + 60_000 }, tick: { dueAtMs: null } }],
  ] as const)("%s is read", async (name, expected) => {
    for (const { value, title } of shapes(name)) {
      await relay.put(value);
      expect(await relay.context.gates.find(subscriptionId, { fresh: true }), title).toMatchObject(expected);
    }
  });

  it("keeps what a newer version added when it is closed", async () => {
    await relay.put({ ...item("gate"), ...newerField });
    await relay.context.gates.disable(subscriptionId, "gone", 1, relay.clock.now());
    await relay.context.gates.noteParked(subscriptionId, relay.clock.now());
    expect(await relay.item(gateKey(subscriptionId))).toMatchObject({ ...newerField, status: "disabled" });
  });
});

describe("a stored event", () => {
  it.each([...shapes("event-inline"), ...shapes("event-bucket")])("is read: $title", async ({ value }) => {
    await relay.put(value);
    const eventId = String(value["pk"]).slice("EVT#".length);
    const found = await relay.context.events.findEvent(eventId);
    expect(found?.event).toEqual({ ...event, eventId });
    expect(found?.subscriptionIds).toEqual([subscriptionId]);
  });

  it.each(shapes("event-quarantined"))(
    "that is quarantined can be verified, and released: $title",
    async ({ value }) => {
      await relay.put(value);
      const { quarantinedId, release } = subjects;
      expect(await relay.context.events.findEvent(quarantinedId)).toMatchObject({
        event: { eventId: quarantinedId, dedupeKey: null },
        quarantine: { reason: "credentials mismatch" },
      });
      expect(await relay.quarantined.openCredentials(quarantinedId)).toEqual({
        headers: [["authorization", "Basic dXNlcjpwYXNz"]],
      });
      expect(await relay.quarantined.noteReleased(quarantinedId, release)).toBe(true);
    },
  );

  it.each(shapes("event-released"))("that was released is so once: $title", async ({ value }) => {
    await relay.put(value);
    const { quarantinedId, release } = subjects;
    const found = await relay.context.events.findEvent(quarantinedId);
    expect(found?.quarantine).toEqual({ reason: "credentials mismatch", released: release });
    expect(await relay.quarantined.noteReleased(quarantinedId, release)).toBe(false);
  });

  it.each(shapes("unverified-count"))("count of what could not be verified goes on: $title", async ({ value }) => {
    await relay.put(value);
    expect(await relay.quarantine.countUnverified(sourceId, startMs, 100)).toBe(2);
  });

  it.each(shapes("event-undelivered"))("that went to nobody takes a subscription later: $title", async ({ value }) => {
    await relay.put(value);
    await relay.context.events.addSubscription("evt_undelivered", subscriptionId);
    expect((await relay.context.events.findEvent("evt_undelivered"))?.subscriptionIds).toEqual([subscriptionId]);
    const key = { pk: String(value["pk"]), sk: String(value["sk"]) };
    expect((await relay.item(key))?.["addedLater"]).toEqual(value["addedLater"]);
  });
});

describe("a stored delivery", () => {
  it.each([...shapes("delivery-retry-scheduled"), ...shapes("delivery-parked")])(
    "that waits gets its next attempt: $title",
    async ({ value }) => {
      await relay.put(...config(), value);
      expect(await relay.receive(message("delivery"))).toEqual([]);
      expect(await relay.delivery()).toMatchObject({
        status: "delivered",
        attempts: [
          { number: 1, statusCode: 503 },
          { number: 2, delaySeconds: 10, statusCode: 200 },
        ],
      });
      await expectUntouched(value);
    },
  );

  it("keeps what a newer version noted on an attempt", async () => {
    const value = item("delivery-retry-scheduled");
    const attempts = (value["attempts"] as object[]).map((attempt) => ({ ...attempt, ...newerField }));
    await relay.put(...config(), { ...value, attempts });
    await relay.receive(message("delivery"));
    expect((await relay.deliveryItem())["attempts"]).toMatchObject([{ number: 1, ...newerField }, { number: 2 }]);
  });

  it.each(shapes("delivery-attempting"))(
    "whose function died is taken over by its guard: $title",
    async ({ value }) => {
      await relay.put(...config(), value);
      relay.clock.set(startMs + 95_000);
      await relay.receive({ ...message("delivery"), attempt: 1 }, guard, 2);
      expect(await relay.delivery()).toMatchObject({ status: "retry_scheduled", attempts: [{ outcome: "unknown" }] });
      expect(relay.sent).toMatchObject([{ deliveryId, attempt: 2 }]);
      await expectUntouched(value);
    },
  );

  it.each(shapes("delivery-attempting-again"))("that is under way drops a copy: $title", async ({ value }) => {
    await relay.put(...config(), value);
    await relay.receive(message("delivery"), "a-copy");
    expect(relay.requests).toEqual([]);
    expect((await relay.delivery())?.status).toBe("attempting");
  });

  it.each([...shapes("delivery-delivered"), ...shapes("delivery-dead-lettered")])(
    "that is final stays as it is: $title",
    async ({ value }) => {
      await relay.put(...config(), value);
      for (const attempt of [1, 2, 3]) await relay.receive({ ...message("delivery"), attempt }, `copy-${attempt}`);
      expect(relay.requests).toEqual([]);
      expect(asStored(await relay.deliveryItem())).toEqual(asStored(value));
    },
  );

  it.each(shapes("delivery-replayed"))("knows its replays: $title", async ({ value }) => {
    await relay.put(value);
    expect((await relay.delivery())?.replayedAs).toEqual([subjects.replayId]);
  });

  it.each(shapes("delivery-erased"))("that was erased says when: $title", async ({ value }) => {
    await relay.put(value);
    const { erasedAtMs, bodySha256, attempts } = (await relay.delivery()) ?? {};
    expect({ erasedAtMs, bodySha256 }).toEqual({ erasedAtMs: startMs + 20_000, bodySha256: "00".repeat(32) });
    expect(attempts).toMatchObject([{ number: 1, statusCode: 503 }]);
  });

  it.each(shapes("delivery-replay"))("that is a replay whose message was lost is sent: $title", async ({ value }) => {
    await relay.put(...config(), value);
    relay.clock.set(startMs + 3_600_000);
    const { context, dueList, control } = relay;
    await sweep({ ...context, dueList, control }, relay.clock.now() + 60_000);
    expect(relay.sent).toMatchObject([{ deliveryId: subjects.replayId, attempt: 1, stored: true }]);
    for (const each of relay.sent) await relay.receive({ ...each });
    const replay = await relay.context.deliveries.findDelivery(subjects.replayId);
    expect(replay).toMatchObject({ status: "delivered", replayOf: deliveryId, attempts: [{ number: 1 }] });
  });

  it.each(shapes("delivery-parked"))("that is parked at a closed gate stays parked: $title", async ({ value }) => {
    await relay.put(...config(), item("gate-disabled"), value);
    await relay.receive(message("delivery"));
    expect((await relay.delivery())?.status).toBe("parked");
  });

  it.each([...shapes("delivery-retry-scheduled"), ...shapes("delivery-parked")])(
    "is found by the sweeper: $title",
    async ({ value }) => {
      await relay.put(...config(), value);
      relay.clock.set(startMs + 25 * 86_400_000);
      const { context, dueList, control } = relay;
      await sweep({ ...context, dueList, control }, relay.clock.now() + 60_000);
      expect(relay.sent).toMatchObject([{ deliveryId, attempt: 2 }]);
      await expectUntouched(value);
      for (const each of relay.sent) await relay.receive({ ...each });
      expect(await relay.delivery()).toMatchObject({ status: "dead_lettered", deadLetterReason: "retention" });
    },
  );

  it("of a version that this one does not know is left alone, and holds up nobody else", async () => {
    const newer = { ...item("delivery-retry-scheduled"), v: 2 };
    await relay.put(...config(), newer);
    await expect(relay.delivery()).rejects.toThrow(UnknownItemVersionError);
    expect(await relay.context.deliveries.findDeliveries([deliveryId])).toEqual([]);
    expect(await relay.receive(message("delivery"))).toEqual(["a-message"]);
    relay.clock.advance(3600);
    const { context, dueList, control } = relay;
    await sweep({ ...context, dueList, control }, relay.clock.now() + 60_000);
    expect(asStored(await relay.deliveryItem())).toEqual(asStored(newer));
  });
});

describe("a stored fault", () => {
  it.each(shapes("fault"))("is read and sent back in its own name: $title", async ({ value }) => {
    await relay.put(value);
    const faultId = String(value["pk"]).slice("FLT#".length);
    const fault = await relay.faults.findFault(faultId);
    expect(fault).toMatchObject({ faultId, cause: "Error: no table", times: 1, deliveryId, messageId: guard });
    const bodies: string[] = [];
    const sendBack = async (_queue: string, body: string) => void bodies.push(body);
    if (fault !== null) await redriveFault({ faults: relay.faults, sendBack }, fault, relay.clock.now());
    expect(bodies.map((text) => JSON.parse(text))).toMatchObject([{ as: guard, deliveryId, attempt: 2 }]);
    expect((await relay.faults.findFault(faultId))?.redrivenAtMs).toBe(relay.clock.now());
  });

  it.each(shapes("fault-redriven"))("that fails again is listed again: $title", async ({ value }) => {
    await relay.put(value);
    const faultId = String(value["pk"]).slice("FLT#".length);
    const fault = await relay.faults.findFault(faultId);
    if (fault !== null) await relay.faults.storeFault({ ...fault, times: 1, redrivenAtMs: null }, "{}");
    expect(await relay.faults.findFault(faultId)).toMatchObject({ times: 2, redrivenAtMs: null });
  });

  it.each(shapes("fault-with-long-body"))("has its long body in the bucket: $title", async ({ value }) => {
    await relay.put(value);
    await relay.contents.put(String(value["bodyKey"]), Buffer.from("a long body"));
    expect(await relay.faults.faultBody(String(value["pk"]).slice("FLT#".length))).toBe("a long body");
  });
});

describe("a stored lease of the sweeper", () => {
  it.each(shapes("sweep-lease"))("holds until it ends: $title", async ({ value }) => {
    await relay.put(value);
    expect(await relay.lease.take(startMs + 59_000, startMs + 119_000)).toBe(false);
    expect(await relay.lease.take(startMs + 61_000, startMs + 121_000)).toBe(true);
  });
});

describe("a stored bulk replay", () => {
  it.each(shapes("bulk-replay"))("is read, and changed: $title", async ({ value }) => {
    const { replayJob } = subjects;
    await relay.put(value);
    expect(await relay.context.replays.findReplay(replayJob.replayId)).toEqual(replayJob);
    expect(await relay.context.replays.replaceReplay(replayJob, { ...replayJob, perSecond: 5, revision: 2 })).toBe(
      true,
    );
    const key = { pk: String(value["pk"]), sk: String(value["sk"]) };
    expect((await relay.item(key))["addedLater"]).toEqual(value["addedLater"]);
  });

  it.each(shapes("bulk-replay-ended"))("that has ended is read: $title", async ({ value }) => {
    await relay.put(value);
    const ended = { state: "cancelled", endedAtMs: startMs + 5_000, counts: { replayed: 10 } };
    expect(await relay.context.replays.findReplay(subjects.replayJob.replayId)).toMatchObject(ended);
  });
});

describe("an entry of the audit trail", () => {
  it.each([...shapes("audit-begun"), ...shapes("audit")])("is read: $title", async ({ title, value }) => {
    await relay.put(value);
    const range = { after: null, sinceMs: null, untilMs: null, expected: 10 };
    const outcome = title.startsWith("audit-begun") ? null : { status: 201, code: null };
    for await (const entry of relay.trail.entries(range))
      expect(entry).toMatchObject({ ...subjects.auditEntry, outcome });
    expect.assertions(1);
  });
});
