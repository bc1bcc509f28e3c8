import { AwsError } from "../aws-error.js";
import { type JsonObject, optionalString } from "../json-input.js";
import { checkName, invalidSchedule, readSettings, type Schedule } from "./schedule.js";
import type { ScheduleGroup, Scheduler } from "./scheduler.js";

/** One call of the REST-JSON protocol. */
export interface SchedulerRequest {
  readonly method: string;
  /** Decoded path segments: `["schedules", name]`. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly input: JsonObject;
}

/** Whether a path is Scheduler's and not a bucket's. */
export const isSchedulerPath = (firstSegment: string | undefined): boolean =>
  firstSegment === "schedules" || firstSegment === "schedule-groups";

/** Answers one call. @throws {AwsError} as EventBridge Scheduler refuses it. */
export async function callScheduler(scheduler: Scheduler, request: SchedulerRequest): Promise<object> {
  const [collection, name] = request.path;
  const depth = request.path.length;
  if (collection === "tags" && depth === 2) return request.method === "GET" ? { Tags: [] } : {};
  if (isSchedulerPath(collection) && depth === 1 && request.method === "GET") {
    return collection === "schedules" ? listSchedules(scheduler, request) : listGroups(scheduler, request);
  }
  if (isSchedulerPath(collection) && depth === 2 && name !== undefined) {
    return collection === "schedules" ? onSchedule(scheduler, name, request) : onGroup(scheduler, name, request);
  }
  throw unknownOperation(request);
}

async function onSchedule(scheduler: Scheduler, name: string, request: SchedulerRequest): Promise<object> {
  const { input, query } = request;
  const inBody = optionalString(input, "GroupName") ?? "default";
  const inQuery = query.get("groupName") ?? "default";
  switch (request.method) {
    case "POST": {
      const clientToken = optionalString(input, "ClientToken") ?? null;
      const created = await scheduler.create(inBody, name, readSettings(input), clientToken);
      return { ScheduleArn: scheduler.arnOf(created) };
    }
    case "PUT":
      return { ScheduleArn: scheduler.arnOf(await scheduler.update(inBody, name, readSettings(input))) };
    case "GET":
      return describe(scheduler, scheduler.find(inQuery, name));
    case "DELETE":
      await scheduler.delete(inQuery, name);
      return {};
    default:
      throw unknownOperation(request);
  }
}

async function onGroup(scheduler: Scheduler, name: string, request: SchedulerRequest): Promise<object> {
  switch (request.method) {
    case "POST":
      await scheduler.createGroup(name);
      return { ScheduleGroupArn: scheduler.groupArn(name) };
    case "GET":
      return describeGroup(scheduler, scheduler.group(name));
    case "DELETE":
      await scheduler.deleteGroup(name);
      return {};
    default:
      throw unknownOperation(request);
  }
}

function listSchedules(scheduler: Scheduler, { query }: SchedulerRequest): object {
  const groupName = query.get("ScheduleGroup");
  const state = query.get("State");
  const prefix = query.get("NamePrefix") ?? "";
  if (groupName !== null) scheduler.group(groupName);
  const matching = scheduler
    .list()
    .filter((schedule) => groupName === null || schedule.groupName === groupName)
    .filter((schedule) => state === null || schedule.settings.State === state)
    .filter((schedule) => schedule.name.startsWith(prefix));
  const page = pageOf(matching, (schedule) => `${schedule.groupName}!${schedule.name}`, query);
  return { Schedules: page.items.map((schedule) => summary(scheduler, schedule)), NextToken: page.nextToken };
}

function listGroups(scheduler: Scheduler, { query }: SchedulerRequest): object {
  const prefix = query.get("NamePrefix") ?? "";
  if (prefix !== "") checkName(prefix, "Name");
  const matching = scheduler.groups().filter((group) => group.name.startsWith(prefix));
  const page = pageOf(matching, (group) => group.name, query);
  return { ScheduleGroups: page.items.map((group) => describeGroup(scheduler, group)), NextToken: page.nextToken };
}

/** Items are sorted by `key`; a token names the last one of its page. */
function pageOf<T>(
  items: readonly T[],
  key: (item: T) => string,
  query: URLSearchParams,
): { items: T[]; nextToken?: string } {
  const size = Number(query.get("MaxResults") ?? 100);
  if (!Number.isInteger(size) || size < 1 || size > 100) throw invalidSchedule("MaxResults must be 1 to 100.");
  const after = Buffer.from(query.get("NextToken") ?? "", "base64url").toString();
  const rest = items.filter((item) => key(item) > after);
  const page = rest.slice(0, size);
  const last = page.at(-1);
  return rest.length > size && last !== undefined
    ? { items: page, nextToken: Buffer.from(key(last)).toString("base64url") }
    : { items: page };
}

function describe(scheduler: Scheduler, schedule: Schedule): object {
  const given = Object.entries(schedule.settings).filter(([, value]) => value !== null);
  return {
    ...identity(scheduler, schedule),
    ...Object.fromEntries(given),
  };
}

const summary = (scheduler: Scheduler, schedule: Schedule): object => ({
  ...identity(scheduler, schedule),
  State: schedule.settings.State,
  Target: { Arn: schedule.settings.Target.Arn },
});

const identity = (scheduler: Scheduler, schedule: Schedule): object => ({
  Arn: scheduler.arnOf(schedule),
  Name: schedule.name,
  GroupName: schedule.groupName,
  CreationDate: schedule.createdAtMs / 1000,
  LastModificationDate: schedule.modifiedAtMs / 1000,
});

const describeGroup = (scheduler: Scheduler, group: ScheduleGroup): object => ({
  Arn: scheduler.groupArn(group.name),
  Name: group.name,
  State: "ACTIVE",
  CreationDate: group.createdAtMs / 1000,
  LastModificationDate: group.createdAtMs / 1000,
});

const unknownOperation = (request: SchedulerRequest): AwsError =>
  new AwsError(
    "UnknownOperationException",
    `The local Scheduler has no ${request.method} /${request.path.join("/")}.`,
    {
      statusCode: 404,
    },
  );
