import { AwsError } from "../aws-error.js";
import { type JsonObject, optionalInteger, optionalNumber, optionalObject, optionalString } from "../json-input.js";
import { type Expression, parseExpression } from "./expression.js";
import { isTimeZone } from "./zone.js";

/** What a caller said about a schedule, checked; names are the API's. */
export interface ScheduleSettings {
  readonly ScheduleExpression: string;
  readonly ScheduleExpressionTimezone: string;
  readonly StartDate: number | null;
  readonly EndDate: number | null;
  readonly Description: string | null;
  readonly State: "ENABLED" | "DISABLED";
  readonly KmsKeyArn: string | null;
  readonly ActionAfterCompletion: "NONE" | "DELETE";
  readonly FlexibleTimeWindow: JsonObject;
  readonly Target: ScheduleTarget;
}

/** The target as given: everything is shown again, what is used here is named. */
export interface ScheduleTarget extends JsonObject {
  readonly Arn: string;
  readonly RoleArn: string;
}

/** A schedule as it is kept. */
export interface Schedule {
  readonly name: string;
  readonly groupName: string;
  readonly clientToken: string | null;
  readonly createdAtMs: number;
  modifiedAtMs: number;
  settings: ScheduleSettings;
  /** Null: fired for the last time (or disabled with nothing to come). */
  nextFireAtMs: number | null;
}

export const invalidSchedule = (message: string): AwsError => new AwsError("ValidationException", message);

/** Names of schedules and groups. */
export function checkName(name: string, what: "Name" | "GroupName"): void {
  if (/^[0-9a-zA-Z\-_.]{1,64}$/.test(name)) return;
  throw invalidSchedule(
    `1 validation error detected: Value '${name}' at '${what}' failed to satisfy constraint: Member must satisfy regular expression pattern: ^[0-9a-zA-Z-_.]+$ and have length less than or equal to 64`,
  );
}

/**
 * Reads the body of CreateSchedule and UpdateSchedule.
 * @throws {AwsError} `ValidationException`.
 */
export function readSettings(input: JsonObject): ScheduleSettings {
  const settings: ScheduleSettings = {
    ScheduleExpression: required(input, "ScheduleExpression"),
    ScheduleExpressionTimezone: optionalString(input, "ScheduleExpressionTimezone") ?? "UTC",
    StartDate: optionalNumber(input, "StartDate") ?? null,
    EndDate: optionalNumber(input, "EndDate") ?? null,
    Description: optionalString(input, "Description") ?? null,
    State: oneOf(input, "State", ["ENABLED", "DISABLED"]),
    KmsKeyArn: optionalString(input, "KmsKeyArn") ?? null,
    ActionAfterCompletion: oneOf(input, "ActionAfterCompletion", ["NONE", "DELETE"]),
    FlexibleTimeWindow: readWindow(input),
    Target: readTarget(input),
  };
  expressionOf(settings);
  const { StartDate, EndDate } = settings;
  if (StartDate !== null && EndDate !== null && EndDate <= StartDate) {
    throw invalidSchedule("The EndDate you specify must come after the StartDate.");
  }
  return settings;
}

/** @throws {AwsError} `ValidationException` for an expression or time zone that means nothing. */
export function expressionOf(settings: ScheduleSettings): Expression {
  const zone = settings.ScheduleExpressionTimezone;
  if (!isTimeZone(zone)) throw invalidSchedule(`The ScheduleExpressionTimezone ${zone} is not valid.`);
  const expression = parseExpression(settings.ScheduleExpression, zone);
  if (expression === null) throw invalidSchedule(`Invalid Schedule Expression ${settings.ScheduleExpression}.`);
  return expression;
}

function readWindow(input: JsonObject): JsonObject {
  const window = optionalObject(input, "FlexibleTimeWindow");
  const mode = window && optionalString(window, "Mode");
  const minutes = window && optionalInteger(window, "MaximumWindowInMinutes");
  if (window === undefined || (mode !== "OFF" && mode !== "FLEXIBLE")) {
    throw invalidSchedule("FlexibleTimeWindow with a Mode of OFF or FLEXIBLE is required.");
  }
  const rightWindow = mode === "OFF" ? minutes === undefined : minutes !== undefined && minutes >= 1 && minutes <= 1440;
  if (!rightWindow)
    throw invalidSchedule("MaximumWindowInMinutes must be 1 to 1440 with Mode FLEXIBLE, and absent with OFF.");
  return window;
}

function readTarget(input: JsonObject): ScheduleTarget {
  const target = optionalObject(input, "Target");
  if (target === undefined) throw invalidSchedule("Target is required.");
  const Arn = required(target, "Arn");
  const RoleArn = required(target, "RoleArn");
  if (!/^arn:[\w-]+:[\w-]+:[\w-]*:\d*:.+$/.test(Arn))
    throw invalidSchedule(`Provided Arn is not in correct format: ${Arn}`);
  if (!/^arn:[\w-]+:iam::\d{12}:role\/.+$/.test(RoleArn)) {
    throw invalidSchedule(`Provided RoleArn is not in correct format: ${RoleArn}`);
  }
  return { ...target, Arn, RoleArn };
}

function required(input: JsonObject, name: string): string {
  const value = optionalString(input, name);
  if (value === undefined || value === "") throw invalidSchedule(`${name} is required.`);
  return value;
}

/** The first value is the default. */
function oneOf<T extends string>(input: JsonObject, name: string, values: readonly [T, ...T[]]): T {
  const given = optionalString(input, name) ?? values[0];
  const value = values.find((candidate) => candidate === given);
  if (value === undefined) throw invalidSchedule(`${name} must be one of ${values.join(", ")}.`);
  return value;
}
