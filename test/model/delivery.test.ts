import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DynamoDeliveryTable } from "../../functions/adapters/aws/delivery-table.js";
import { DynamoDueList } from "../../functions/adapters/aws/due-list.js";
import { DynamoParkedList } from "../../functions/adapters/aws/parked-list.js";
import { freshEventId } from "../../functions/core/ids.js";
import { anEvent } from "../support/builders.js";
import { startTable, type TestTable } from "../support/dynalite.js";
import { bringToRest } from "./bring-to-rest.js";
import { Answer } from "./commands/answer.js";
import { Crash } from "./commands/crash.js";
import { Expire } from "./commands/expire.js";
import { LetLeaseEnd } from "./commands/let-lease-end.js";
import { LoseMessage } from "./commands/lose-message.js";
import { Pause } from "./commands/pause.js";
import { ReceiveCopy } from "./commands/receive-copy.js";
import { ReceiveGuardAgain } from "./commands/receive-guard-again.js";
import { ReceiveMessage } from "./commands/receive-message.js";
import { RedriveMessage } from "./commands/redrive-message.js";
import { Resume } from "./commands/resume.js";
import { Sweep } from "./commands/sweep.js";
import { WaitUntilDue } from "./commands/wait-until-due.js";
import { messagesOf } from "./compare.js";
import type { Model } from "./delivery-model.js";
import { type DeliveryStorage, RelayUnderTest } from "./relay-under-test.js";

const which = fc.nat({ max: 7 });
const diesAt = fc.oneof(
  { arbitrary: fc.constant("end" as const), weight: 5 },
  { arbitrary: fc.constantFrom("before the write" as const, "after the write" as const), weight: 2 },
);

const commands = fc.commands(
  [
    fc.tuple(which, diesAt).map((input) => new ReceiveMessage(...input)),
    fc.tuple(which, diesAt).map((input) => new ReceiveMessage(...input)),
    which.map((input) => new ReceiveCopy(input)),
    diesAt.map((input) => new ReceiveGuardAgain(input)),
    fc.constant(new RedriveMessage()),
    fc
      .tuple(which, fc.constantFrom(200 as const, 503 as const, 503 as const, 422 as const, 410 as const), diesAt)
      .map((input) => new Answer(...input)),
    which.map((input) => new Crash(input)),
    which.map((input) => new LoseMessage(input)),
    fc.constant(new LetLeaseEnd()),
    fc.constant(new WaitUntilDue()),
    fc.constant(new Sweep()),
    fc.constant(new Pause()),
    fc.constant(new Resume()),
    fc.constant(new Expire()),
  ],
  { maxCommands: 40 },
);

let made = 0;

/** A new delivery, in the relay and in the model. */
async function setup(storage?: (now: () => number) => DeliveryStorage) {
  const base = anEvent();
  const event = anEvent(Buffer.from("{}"), { eventId: freshEventId(base.receivedAtMs, Buffer.alloc(10, ++made)) });
  const real = new RelayUnderTest(event, storage);
  await real.begin();
  const model: Model = {
    nowMs: event.receivedAtMs,
    receivedAtMs: event.receivedAtMs,
    delivery: null,
    gate: "active",
    messages: messagesOf(real),
    requests: [],
    claims: 0,
    deadLetters: 0,
  };
  return { model, real };
}

function holdsOver(storage: ((now: () => number) => DeliveryStorage) | undefined, numRuns: number): Promise<void> {
  const property = fc.asyncProperty(commands, async (run) => {
    const { model, real } = await setup(storage);
    await fc.asyncModelRun(() => ({ model, real }), run);
    const forgotten = model.claims > 0 && model.delivery === null;
    await bringToRest(real);
    const delivery = await real.delivery();
    expect(["delivered", "dead_lettered", ...(forgotten ? [undefined] : [])]).toContain(delivery?.status);
  });
  return fc.assert(property, { numRuns });
}

describe("a delivery", () => {
  it("announces nothing when a result comes after its attempt was taken over, though both say: retry", async () => {
    const late = [
      new ReceiveMessage(0, "end"),
      new LetLeaseEnd(),
      new ReceiveGuardAgain("end"),
      new Answer(0, 503, "end"),
    ];
    const { model, real } = await setup();
    await fc.asyncModelRun(() => ({ model, real }), late);
    expect(real.messages.map(({ id }) => real.message(id).attempt)).toEqual([2]);
  });

  it("keeps its last attempt while the release that a resume begins is in its first rush", async () => {
    const parked = [
      new ReceiveMessage(0, "end"),
      new Answer(0, 503, "end"),
      new WaitUntilDue(),
      new ReceiveMessage(0, "end"),
      new Answer(0, 410, "end"),
      new Resume(),
    ];
    const { model, real } = await setup();
    await fc.asyncModelRun(() => ({ model, real }), parked);
    expect((await real.delivery())?.status).toBe("parked");
    expect(real.messages).toEqual([]);
  });

  it(
    "does what the model says, step by step, and comes to an end by itself afterwards",
    () => holdsOver(undefined, 8000),
    200_000,
  );
});

describe("a delivery in DynamoDB", () => {
  let table: TestTable;
  beforeAll(async () => {
    table = await startTable();
  });
  afterAll(() => table.close());

  it("does the same", () => {
    const at = { client: () => table.client, tableName: table.tableName };
    const storage = (now: () => number): DeliveryStorage => ({
      deliveries: new DynamoDeliveryTable(at, { now, retentionDays: 30 }),
      dueList: new DynamoDueList(at),
      parked: new DynamoParkedList(at),
    });
    return holdsOver(storage, 15);
  });
});
