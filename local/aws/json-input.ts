import { AwsError } from "./aws-error.js";

/** A request's JSON object, before its members are checked. */
export type JsonObject = Readonly<Record<string, unknown>>;

const wrongType = (name: string, expected: string): AwsError =>
  new AwsError("SerializationException", `${name} must be ${expected}.`);

/** Refuses anything but an object, as AWS does. */
export function asObject(value: unknown, name: string): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrongType(name, "an object");
  return value as JsonObject;
}

export function optionalString(input: JsonObject, name: string): string | undefined {
  const value = input[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw wrongType(name, "a string");
  return value;
}

export function requiredString(input: JsonObject, name: string): string {
  const value = optionalString(input, name);
  if (value === undefined || value === "") {
    throw new AwsError("MissingParameter", `The request must contain the parameter ${name}.`);
  }
  return value;
}

export function optionalInteger(input: JsonObject, name: string): number | undefined {
  const value = input[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number" || !Number.isInteger(value)) throw wrongType(name, "an integer");
  return value;
}

export function optionalNumber(input: JsonObject, name: string): number | undefined {
  const value = input[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number" || !Number.isFinite(value)) throw wrongType(name, "a number");
  return value;
}

export function optionalObject(input: JsonObject, name: string): JsonObject | undefined {
  const value = input[name];
  return value === undefined || value === null ? undefined : asObject(value, name);
}

/** A map of strings; empty when absent. */
export function stringMap(input: JsonObject, name: string): Record<string, string> {
  const entries = Object.entries(optionalObject(input, name) ?? {});
  return Object.fromEntries(
    entries.map(([key, value]) => {
      if (typeof value !== "string") throw wrongType(`${name}.${key}`, "a string");
      return [key, value];
    }),
  );
}

/** A list of strings; empty when absent. */
export function stringList(input: JsonObject, name: string): string[] {
  const value = input[name] ?? [];
  if (!Array.isArray(value) || value.some((entry) => typeof entry !== "string")) {
    throw wrongType(name, "a list of strings");
  }
  return value as string[];
}

/** A list of objects; empty when absent. */
export function objectList(input: JsonObject, name: string): JsonObject[] {
  const value = input[name] ?? [];
  if (!Array.isArray(value)) throw wrongType(name, "a list");
  return value.map((entry) => asObject(entry, name));
}
