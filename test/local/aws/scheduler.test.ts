import {
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  CreateScheduleGroupCommand,
  DeleteScheduleCommand,
  DeleteScheduleGroupCommand,
  GetScheduleCommand,
  GetScheduleGroupCommand,
  ListScheduleGroupsCommand,
  ListSchedulesCommand,
  ResourceNotFoundException,
  type SchedulerClient,
  UpdateScheduleCommand,
  ValidationException,
} from "@aws-sdk/client-scheduler";
import { describe, expect, it, vi } from "vitest";
import type { LocalAws, LocalAwsOptions } from "../../../local/aws/endpoint.js";
import { aDataDir, type ManualClock, manualClock, schedulerClient, startAws } from "./fixture.js";

const queueArn = "arn:aws:sqs:us-east-1:000000000000:orders";
const RoleArn = "arn:aws:iam::000000000000:role/scheduler";

interface Setup {
  readonly aws: LocalAws;
  readonly clock: ManualClock;
  readonly scheduler: SchedulerClient;
  create(input?: Partial<CreateScheduleCommandInput>): Promise<string | undefined>;
  /** Bodies of the messages that have come since the last call; waits for as many as are expected. */
  arrived(count: number): Promise<string[]>;
  exists(name: string): Promise<boolean>;
}

/** At 2026-01-15T12:00:00Z. */
async function aScheduler(options: Partial<LocalAwsOptions> = {}, clock = manualClock()): Promise<Setup> {
  const aws = await startAws({ clock, ...options });
  await aws.sqs.createQueue("orders");
  const scheduler = schedulerClient(aws);
  return {
    aws,
    clock,
    scheduler,
    async create(input) {
      const command = new CreateScheduleCommand({
        Name: "retry",
        ScheduleExpression: "at(2026-01-15T13:00:00)",
        FlexibleTimeWindow: { Mode: "OFF" },
        Target: { Arn: queueArn, RoleArn, Input: "fired" },
        ...input,
      });
      return (await scheduler.send(command)).ScheduleArn;
    },
    async arrived(count) {
      const bodies: string[] = [];
      await vi.waitFor(async () => {
        const messages = await aws.sqs.receive("orders", { max: 10, waitSeconds: 0 });
        bodies.push(...messages.map((message) => message.body));
        await Promise.all(messages.map((message) => aws.sqs.delete("orders", message.receiptHandle)));
        expect(bodies).toHaveLength(count);
      });
      return bodies;
    },
    async exists(Name) {
      const { Schedules } = await scheduler.send(new ListSchedulesCommand({ NamePrefix: Name }));
      return (Schedules ?? []).some((schedule) => schedule.Name === Name);
    },
  };
}

/** Writes keep their order: what had fired before this would have arrived when it is through. */
async function noneArrived(aws: LocalAws): Promise<void> {
  await aws.sqs.createQueue("barrier");
  await aws.sqs.sendBody("barrier", "x");
  expect(aws.sqs.queue("orders").counts().visible).toBe(0);
}

describe("one-time schedules", () => {
  it("sends the input to the queue when its time has come, and is gone after completion", async () => {
    const { create, arrived, exists, clock, aws, scheduler } = await aScheduler();
    const arn = await create({ ActionAfterCompletion: "DELETE" });
    expect(arn).toBe("arn:aws:scheduler:us-east-1:000000000000:schedule/default/retry");
    const shown = await scheduler.send(new GetScheduleCommand({ Name: "retry" }));
    expect(shown).toMatchObject({
      Arn: arn,
      GroupName: "default",
      ScheduleExpression: "at(2026-01-15T13:00:00)",
      ScheduleExpressionTimezone: "UTC",
      State: "ENABLED",
      ActionAfterCompletion: "DELETE",
      FlexibleTimeWindow: { Mode: "OFF" },
      Target: { Arn: queueArn, RoleArn, Input: "fired" },
      CreationDate: new Date(clock.now()),
    });

    clock.advance(3_599_999);
    await noneArrived(aws);
    clock.advance(1);
    expect(await arrived(1)).toEqual(["fired"]);
    await vi.waitFor(async () => expect(await exists("retry")).toBe(false));
    const lookup = scheduler.send(new GetScheduleCommand({ Name: "retry" }));
    await expect(lookup).rejects.toBeInstanceOf(ResourceNotFoundException);
  });

  it("stays, and fires no more, without an action after completion", async () => {
    const { create, arrived, exists, clock, aws } = await aScheduler();
    await create();
    clock.advance(3_600_000);
    await arrived(1);
    clock.advance(86_400_000);
    await noneArrived(aws);
    expect(await exists("retry")).toBe(true);
  });

  it("hands the message group to the queue", async () => {
    const { create, clock, aws } = await aScheduler();
    await create({ Target: { Arn: queueArn, RoleArn, Input: "x", SqsParameters: { MessageGroupId: "sub_1" } } });
    clock.advance(3_600_000);
    const [message] = await aws.sqs.receive("orders", { waitSeconds: 20 });
    expect(message?.attributes["MessageGroupId"]).toBe("sub_1");
  });

  it.each([
    ["America/New_York", "at(2026-01-15T08:00:00)", 3_600_000],
    ["Asia/Kolkata", "at(2026-01-15T18:30:00)", 3_600_000],
    // 29 March 2026, 03:30 in Berlin is 01:30 UTC: summer time began half an hour before.
    ["Europe/Berlin", "at(2026-03-29T03:30:00)", Date.UTC(2026, 2, 29, 1, 30) - Date.UTC(2026, 0, 15, 12)],
  ])("reads the time in the zone %s", async (ScheduleExpressionTimezone, ScheduleExpression, afterMs) => {
    const { create, arrived, clock, aws } = await aScheduler();
    await create({ ScheduleExpressionTimezone, ScheduleExpression });
    clock.advance(afterMs - 1);
    await noneArrived(aws);
    clock.advance(1);
    await arrived(1);
  });

  it("fires within the precision that it is given", async () => {
    const { create, arrived, clock, aws } = await aScheduler({ precisionSeconds: 60 });
    await create({ ScheduleExpression: "at(2026-01-15T12:00:05)" });
    clock.advance(59_999);
    await noneArrived(aws);
    clock.advance(1);
    await arrived(1);
  });

  it("fires at the next start what became due meanwhile, exactly what was not yet handed over", async () => {
    const dataDir = await aDataDir();
    const clock = manualClock();
    const before = await aScheduler({ dataDir }, clock);
    await before.create({ Name: "overdue", ActionAfterCompletion: "DELETE" });
    await before.create({ Name: "later", ScheduleExpression: "at(2026-02-01T00:00:00)" });
    await before.aws.close();
    clock.advance(7_200_000);

    const after = await aScheduler({ dataDir }, clock);
    clock.advance(0);
    expect(await after.arrived(1)).toEqual(["fired"]);
    await vi.waitFor(async () => expect(await after.exists("overdue")).toBe(false));
    expect(await after.exists("later")).toBe(true);
  });

  it("is tried again when the target fails, later each time", async () => {
    const calls: number[] = [];
    const clock = manualClock();
    const onInvoke = () => {
      calls.push(clock.now());
      if (calls.length < 3) throw new Error("not yet");
    };
    const { create, exists } = await aScheduler({ onInvoke }, clock);
    const Arn = "arn:aws:lambda:us-east-1:000000000000:function:sweeper";
    await create({ Target: { Arn, RoleArn, Input: "{}" }, ActionAfterCompletion: "DELETE" });
    const startMs = clock.now();
    const retried = clock.nextTimer();
    clock.advance(3_600_000);
    await retried;
    const retriedAgain = clock.nextTimer();
    clock.advance(1_000);
    await retriedAgain;
    clock.advance(2_000);
    await vi.waitFor(async () => expect(await exists("retry")).toBe(false));
    expect(calls.map((ms) => ms - startMs)).toEqual([3_600_000, 3_601_000, 3_603_000]);
  });

  it("keeps what it was changed to while it fired", async () => {
    const Arn = "arn:aws:lambda:us-east-1:000000000000:function:sweeper";
    const later = {
      Name: "retry",
      ScheduleExpression: "at(2026-01-15T14:00:00)",
      FlexibleTimeWindow: { Mode: "OFF" as const },
      Target: { Arn: queueArn, RoleArn, Input: "later" },
    };
    const fired = vi.fn(async () => {
      await setup.scheduler.send(new UpdateScheduleCommand(later));
    });
    const setup = await aScheduler({ onInvoke: fired });
    await setup.create({ Target: { Arn, RoleArn, Input: "{}" }, ActionAfterCompletion: "DELETE" });
    setup.clock.advance(3_600_000);
    await vi.waitFor(() => expect(fired.mock.settledResults[0]?.type).toBe("fulfilled"));
    await noneArrived(setup.aws);
    setup.clock.advance(3_600_000);
    expect(await setup.arrived(1)).toEqual(["later"]);
  });
});

describe("recurring schedules", () => {
  it("fires a rate at once and then at its interval", async () => {
    const { create, arrived, clock, aws } = await aScheduler();
    await create({ ScheduleExpression: "rate(5 minutes)" });
    clock.advance(0);
    await arrived(1);
    clock.advance(299_999);
    await noneArrived(aws);
    clock.advance(1);
    await arrived(1);
  });

  it("fires once for all the times that passed while nothing ran, then on the old grid", async () => {
    const dataDir = await aDataDir();
    const clock = manualClock();
    const before = await aScheduler({ dataDir }, clock);
    await before.create({ ScheduleExpression: "rate(5 minutes)" });
    clock.advance(0);
    await before.arrived(1);
    await before.aws.close();
    clock.advance(3_720_000);

    const after = await aScheduler({ dataDir }, clock);
    const planned = clock.nextTimer();
    clock.advance(0);
    await after.arrived(1);
    await planned;
    clock.advance(179_999);
    await noneArrived(after.aws);
    clock.advance(1);
    await after.arrived(1);
  });

  it("fires a cron expression in its time zone between start and end, then completes", async () => {
    const { create, arrived, exists, clock, aws } = await aScheduler();
    await create({
      // 9:30 in Berlin is 8:30 UTC in winter. 17 and 18 January 2026 are a weekend.
      ScheduleExpression: "cron(30 9 ? * MON-FRI *)",
      ScheduleExpressionTimezone: "Europe/Berlin",
      EndDate: new Date("2026-01-19T12:00:00Z"),
      ActionAfterCompletion: "DELETE",
    });
    clock.advance(Date.UTC(2026, 0, 16, 8, 30) - clock.now() - 1);
    await noneArrived(aws);
    const planned = clock.nextTimer();
    clock.advance(1);
    await arrived(1);
    await planned;
    clock.advance(Date.UTC(2026, 0, 19, 8, 30) - clock.now() - 1);
    await noneArrived(aws);
    clock.advance(1);
    await arrived(1);
    await vi.waitFor(async () => expect(await exists("retry")).toBe(false));
  });
});

describe("what the local Scheduler refuses", () => {
  const refused: [string, Partial<CreateScheduleCommandInput>][] = [
    ["month 13", { ScheduleExpression: "at(2026-13-01T00:00:00)" }],
    ["30 February", { ScheduleExpression: "at(2026-02-30T00:00:00)" }],
    ["a time without seconds", { ScheduleExpression: "at(2026-02-01T00:00)" }],
    ["a time that has passed", { ScheduleExpression: "at(2026-01-15T11:59:59)" }],
    ["a rate of zero", { ScheduleExpression: "rate(0 minutes)" }],
    ["a rate in seconds", { ScheduleExpression: "rate(5 seconds)" }],
    ["a cron expression with both day fields", { ScheduleExpression: "cron(0 12 1 * MON *)" }],
    ["minute 60", { ScheduleExpression: "cron(60 12 * * ? *)" }],
    ["no expression", { ScheduleExpression: "tomorrow" }],
    ["an unknown time zone", { ScheduleExpressionTimezone: "Mars/Olympus" }],
    ["a name with a slash or a colon", { Name: "a:b" }],
    ["a name of 65 characters", { Name: "x".repeat(65) }],
    ["a flexible window without its length", { FlexibleTimeWindow: { Mode: "FLEXIBLE" } }],
    ["a target without a role", { Target: { Arn: queueArn, RoleArn: "" } }],
    ["a target that is no ARN", { Target: { Arn: "orders", RoleArn } }],
    ["an unknown action", { ActionAfterCompletion: "EXPLODE" as "DELETE" }],
    [
      "an end before the start",
      { ScheduleExpression: "rate(1 day)", StartDate: new Date(2e12), EndDate: new Date(1.9e12) },
    ],
  ];

  it.each(refused)("%s", async (_, input) => {
    const { create, scheduler } = await aScheduler();
    await expect(create(input)).rejects.toBeInstanceOf(ValidationException);
    expect((await scheduler.send(new ListSchedulesCommand({}))).Schedules).toEqual([]);
  });

  it("a name that exists, unless the call is the same one again", async () => {
    const { create } = await aScheduler();
    const arn = await create({ ClientToken: "one" });
    expect(await create({ ClientToken: "one" })).toBe(arn);
    await expect(create({ ClientToken: "two" })).rejects.toBeInstanceOf(ConflictException);
  });

  it("a group that does not exist", async () => {
    const { create } = await aScheduler();
    await expect(create({ GroupName: "none" })).rejects.toBeInstanceOf(ResourceNotFoundException);
  });
});

describe("changing and listing schedules", () => {
  it("fires an updated schedule at its new time only, and a disabled or deleted one not at all", async () => {
    const { create, arrived, clock, aws, scheduler } = await aScheduler();
    await create({ Name: "moved" });
    await create({ Name: "disabled" });
    await create({ Name: "deleted" });
    const settings = { FlexibleTimeWindow: { Mode: "OFF" as const }, Target: { Arn: queueArn, RoleArn, Input: "new" } };
    await scheduler.send(
      new UpdateScheduleCommand({ Name: "moved", ScheduleExpression: "at(2026-01-15T14:00:00)", ...settings }),
    );
    await scheduler.send(
      new UpdateScheduleCommand({
        Name: "disabled",
        ScheduleExpression: "at(2026-01-15T13:00:00)",
        State: "DISABLED",
        ...settings,
      }),
    );
    await scheduler.send(new DeleteScheduleCommand({ Name: "deleted" }));

    clock.advance(3_600_000);
    await noneArrived(aws);
    clock.advance(3_600_000);
    expect(await arrived(1)).toEqual(["new"]);
  });

  it("lists by group and name prefix, in pages", async () => {
    const { create, scheduler } = await aScheduler();
    await scheduler.send(new CreateScheduleGroupCommand({ Name: "retries" }));
    for (const Name of ["b-1", "b-2", "b-3", "c-1"]) await create({ Name, GroupName: "retries" });
    await create({ Name: "b-9" });

    const query = { GroupName: "retries", NamePrefix: "b-", MaxResults: 2 };
    const first = await scheduler.send(new ListSchedulesCommand(query));
    const rest = await scheduler.send(new ListSchedulesCommand({ ...query, NextToken: first.NextToken }));

    const names = [...(first.Schedules ?? []), ...(rest.Schedules ?? [])].map((schedule) => schedule.Name);
    expect(first.Schedules).toHaveLength(2);
    expect(names).toEqual(["b-1", "b-2", "b-3"]);
    expect(rest.NextToken).toBeUndefined();
  });

  it("creates, shows, lists and deletes groups, a group with its schedules", async () => {
    const { create, scheduler, exists } = await aScheduler();
    await scheduler.send(new CreateScheduleGroupCommand({ Name: "retries" }));
    await create({ Name: "inside", GroupName: "retries" });
    const group = await scheduler.send(new GetScheduleGroupCommand({ Name: "retries" }));
    expect(group).toMatchObject({
      Arn: "arn:aws:scheduler:us-east-1:000000000000:schedule-group/retries",
      State: "ACTIVE",
    });
    const listed = await scheduler.send(new ListScheduleGroupsCommand({}));
    expect(listed.ScheduleGroups?.map((entry) => entry.Name)).toEqual(["default", "retries"]);
    const again = scheduler.send(new CreateScheduleGroupCommand({ Name: "retries" }));
    await expect(again).rejects.toBeInstanceOf(ConflictException);

    await scheduler.send(new DeleteScheduleGroupCommand({ Name: "retries" }));
    expect(await exists("inside")).toBe(false);
    const lookup = scheduler.send(new GetScheduleGroupCommand({ Name: "retries" }));
    await expect(lookup).rejects.toBeInstanceOf(ResourceNotFoundException);
  });
});
