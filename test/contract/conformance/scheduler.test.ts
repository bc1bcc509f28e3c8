import {
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  CreateScheduleGroupCommand,
  GetScheduleCommand,
  ListSchedulesCommand,
  ResourceNotFoundException,
  ValidationException,
} from "@aws-sdk/client-scheduler";
import { CreateQueueCommand, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { describe, expect, it, vi } from "vitest";
import type { LocalAwsOptions } from "../../../local/aws/endpoint.js";
import { manualClock, schedulerClient, sqsClient, startAws } from "../../local/aws/fixture.js";

/** What the local Scheduler has in common with AWS's where names, times and queues work together. */

/** For what comes by itself, on a busy machine. */
const patienceMs = 10_000;

/** At 2026-01-15T12:00:00Z, with a queue `orders`. */
async function aScheduler(options: Partial<LocalAwsOptions> = {}) {
  const clock = manualClock();
  const aws = await startAws({ clock, ...options });
  const [scheduler, sqs] = [schedulerClient(aws), sqsClient(aws)];
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: "orders" }));
  const Target = { Arn: "arn:aws:sqs:us-east-1:000000000000:orders", RoleArn: "arn:aws:iam::000000000000:role/x" };
  return {
    aws,
    clock,
    scheduler,
    receive: async (WaitTimeSeconds = 0) =>
      (await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds, MaxNumberOfMessages: 10 }))).Messages ??
      [],
    create: (input: Partial<CreateScheduleCommandInput> = {}) =>
      scheduler.send(
        new CreateScheduleCommand({
          Name: "retry",
          ScheduleExpression: "at(2026-01-15T13:00:00)",
          FlexibleTimeWindow: { Mode: "OFF" },
          ActionAfterCompletion: "DELETE",
          Target: { ...Target, Input: "fired" },
          ...input,
        }),
      ),
    names: async (GroupName?: string) =>
      ((await scheduler.send(new ListSchedulesCommand(GroupName ? { GroupName } : {}))).Schedules ?? []).map(
        ({ Name }) => Name,
      ),
  };
}

describe("at()", () => {
  it.each([
    "at(2026-13-01T00:00:00)",
    "at(2026-00-10T00:00:00)",
    "at(2026-04-31T00:00:00)",
    "at(2027-02-29T00:00:00)",
    "at(2026-02-01T24:00:00)",
    "at(2026-02-01T23:60:00)",
    "at(2026-02-01T23:59:60)",
    "at(2026-02-01T00:00:00Z)",
    "at(2026-02-01T00:00:00.000)",
    "at(2026-02-01t00:00:00)",
    "at(2026-02-01 00:00:00)",
    "at( 2026-02-01T00:00:00)",
    "at(26-02-01T00:00:00)",
    "at(2026-2-1T00:00:00)",
    "AT(2026-02-01T00:00:00)",
    "at()",
    "",
  ])("refuses %s", async (ScheduleExpression) => {
    const { create, names } = await aScheduler();
    await expect(create({ ScheduleExpression })).rejects.toBeInstanceOf(ValidationException);
    expect(await names()).toEqual([]);
  });

  it.each(["at(2028-02-29T23:59:59)", "at(2026-12-31T00:00:00)", "at(2026-01-15T12:00:01)"])(
    "takes %s",
    async (ScheduleExpression) => {
      const { create, scheduler } = await aScheduler();
      await create({ ScheduleExpression });
      expect(await scheduler.send(new GetScheduleCommand({ Name: "retry" }))).toMatchObject({ ScheduleExpression });
    },
  );

  it.each([
    ["that a change to summer time leaves out", "at(2026-03-29T02:30:00)", Date.UTC(2026, 2, 29)],
    ["that a change to winter time repeats", "at(2026-10-25T02:30:00)", Date.UTC(2026, 9, 25)],
  ])("fires once for a time %s", async (_case, ScheduleExpression, dayMs) => {
    const { create, receive, clock, names } = await aScheduler();
    await create({ ScheduleExpression, ScheduleExpressionTimezone: "Europe/Berlin" });
    clock.advance(dayMs - clock.now());
    expect(await receive()).toEqual([]);
    clock.advance(2 * 3_600_000);
    await vi.waitFor(async () => expect(await names()).toEqual([]), patienceMs);
    clock.advance(86_400_000);
    expect(await receive()).toHaveLength(1);
  });
});

describe("a name", () => {
  it("has up to 64 of the characters that are allowed, and is one of its group", async () => {
    const { create, scheduler, names } = await aScheduler();
    const Name = "0-9_a.Z".padEnd(64, "x");
    await scheduler.send(new CreateScheduleGroupCommand({ Name: "retries" }));
    await create({ Name });
    await create({ Name, GroupName: "retries" });
    await expect(create({ Name, GroupName: "retries" })).rejects.toBeInstanceOf(ConflictException);
    expect([await names("default"), await names("retries")]).toEqual([[Name], [Name]]);
  });

  it("is one of several that ask at the same moment", async () => {
    const { create, clock, receive, names } = await aScheduler();
    const answers = await Promise.allSettled(Array.from({ length: 8 }, () => create()));
    expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    clock.advance(3_600_000);
    await vi.waitFor(async () => expect(await names()).toEqual([]), patienceMs);
    expect(await receive()).toHaveLength(1);
  });

  it("is free again once its schedule has completed", async () => {
    const { create, clock, names, receive } = await aScheduler();
    await create();
    clock.advance(3_600_000);
    await vi.waitFor(async () => expect(await names()).toEqual([]), patienceMs);
    await create({ ScheduleExpression: "at(2026-01-15T14:00:00)" });
    clock.advance(3_600_000);
    await vi.waitFor(async () => expect(await names()).toEqual([]), patienceMs);
    expect(await receive()).toHaveLength(2);
  });
});

describe("a schedule", () => {
  it("is gone only after its message has come, which wakes a poll that waits", async () => {
    const { create, clock, receive, scheduler } = await aScheduler();
    await create();
    const waiting = clock.nextTimer();
    clock.advance(3_590_000);
    const poll = receive(20);
    await waiting;
    clock.advance(10_000);
    expect(await poll).toMatchObject([{ Body: "fired" }]);
    await vi.waitFor(async () => {
      const lookup = scheduler.send(new GetScheduleCommand({ Name: "retry" }));
      await expect(lookup).rejects.toBeInstanceOf(ResourceNotFoundException);
    }, patienceMs);
  });

  it("stays when its queue cannot take it, and comes when it can", async () => {
    const { aws, create, clock, names } = await aScheduler();
    await aws.sqs.deleteQueue("orders");
    await create();
    const retried = clock.nextTimer();
    clock.advance(3_600_000);
    await retried;
    expect(await names()).toEqual(["retry"]);
    await aws.sqs.createQueue("orders");
    clock.advance(60_000);
    await vi.waitFor(async () => expect(await names()).toEqual([]), patienceMs);
    expect(aws.sqs.queue("orders").counts().visible).toBe(1);
  });
});

describe("the precision", () => {
  it.each([
    [60, "at(2026-01-15T12:01:00)", 60_000],
    [60, "at(2026-01-15T12:01:01)", 120_000],
    [1, "at(2026-01-15T12:01:01)", 61_000],
    [10, "at(2026-01-15T12:00:01)", 10_000],
  ])("of %i s lets %s fire after %i ms", async (precisionSeconds, ScheduleExpression, afterMs) => {
    const { create, clock, receive, names } = await aScheduler({ precisionSeconds });
    await create({ ScheduleExpression });
    clock.advance(afterMs - 1);
    expect(await names()).toEqual(["retry"]);
    expect(await receive()).toEqual([]);
    clock.advance(1);
    await vi.waitFor(async () => expect(await names()).toEqual([]), patienceMs);
    expect(await receive()).toHaveLength(1);
  });
});
