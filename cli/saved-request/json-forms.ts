import { usageError } from "../cli-error.js";
import type { JsonObject } from "../json-document.js";
import { asHeaders, type SavedRequest, splitTarget } from "./saved-request.js";

/** A request inside JSON: an entry of a HAR file, an event of API Gateway, or the plain form of this command. */
export function readJsonForm(value: JsonObject): SavedRequest {
  if (isObject(value["log"])) return readHar(onlyEntry(value["log"]));
  if (isObject(value["request"])) return readHar(value);
  if (isObject(value["requestContext"]) || "rawPath" in value || "httpMethod" in value) return readGatewayEvent(value);
  return readPlain(value);
}

function onlyEntry({ entries }: JsonObject): JsonObject {
  const list = Array.isArray(entries) ? entries.filter(isObject) : [];
  const posts = list.filter(({ request }) => isObject(request) && request["method"] === "POST");
  const [entry, ...others] = list.length === 1 ? list : posts;
  if (entry !== undefined && others.length === 0) return entry;
  throw usageError(
    `The HAR file has ${posts.length} POST requests of ${list.length} entries, not one.`,
    "Save the one entry alone: an object with request and startedDateTime.",
  );
}

function readHar(entry: JsonObject): SavedRequest {
  const request = entry["request"] as JsonObject;
  const { text, encoding } = isObject(request["postData"]) ? request["postData"] : {};
  const startedMs = Date.parse(String(entry["startedDateTime"]));
  const headers = (Array.isArray(request["headers"]) ? request["headers"] : []).filter(isObject);
  return {
    format: "a HAR entry",
    method: String(request["method"] ?? "POST").toUpperCase(),
    ...splitTarget(String(request["url"] ?? "/")),
    headers: asHeaders(headers.map(({ name, value }) => [String(name), String(value)])),
    body: Buffer.from(typeof text === "string" ? text : "", encoding === "base64" ? "base64" : "utf8"),
    atMs: Number.isNaN(startedMs) ? null : startedMs,
    doubts:
      encoding === "base64" ? [] : ["A HAR file keeps the body as text: bytes that are not UTF-8 are lost in it."],
  };
}

/** Payload 2.0 (HTTP APIs, function URLs) and 1.0 (REST APIs). */
function readGatewayEvent(event: JsonObject): SavedRequest {
  const context = isObject(event["requestContext"]) ? event["requestContext"] : {};
  const http = isObject(context["http"]) ? context["http"] : {};
  const isOld = "httpMethod" in event;
  const { timeEpoch, requestTimeEpoch } = context;
  const atMs = [timeEpoch, requestTimeEpoch].find((each): each is number => typeof each === "number") ?? null;
  // The flag comes as text from some tools.
  const encoding = String(event["isBase64Encoded"]) === "true" ? "base64" : "utf8";
  return {
    format: "an event of API Gateway",
    method: String(isOld ? event["httpMethod"] : (http["method"] ?? "POST")).toUpperCase(),
    path: String((isOld ? event["path"] : event["rawPath"]) ?? "/"),
    query: isOld ? oldQuery(event["queryStringParameters"]) : String(event["rawQueryString"] ?? ""),
    headers: asHeaders(textEntries(event["headers"])),
    body: Buffer.from(typeof event["body"] === "string" ? event["body"] : "", encoding),
    atMs,
    doubts:
      isOld && isObject(event["queryStringParameters"])
        ? ["The event has the query decoded: its raw text is lost."]
        : [],
  };
}

const oldQuery = (parameters: unknown): string =>
  new URLSearchParams([...textEntries(parameters)] as [string, string][]).toString();

function readPlain(value: JsonObject): SavedRequest {
  const { method = "POST", path = "/", query, headers, body, bodyBase64, receivedAt } = value;
  if (body !== undefined && typeof body !== "string") {
    throw usageError(
      "body must be text: an object is not the bytes that were signed.",
      "Give the raw text, or bodyBase64.",
    );
  }
  if (headers === undefined) {
    throw usageError(
      "The JSON is no request.",
      'It is {"method","path","query","headers","body" or "bodyBase64"}, a HAR entry, or an event of API Gateway.',
    );
  }
  const target = splitTarget(String(path));
  const atMs = Date.parse(String(receivedAt));
  return {
    format: "JSON",
    method: String(method).toUpperCase(),
    path: target.path,
    query: query === undefined ? target.query : String(query),
    headers: asHeaders(textEntries(headers)),
    body: typeof bodyBase64 === "string" ? Buffer.from(bodyBase64, "base64") : Buffer.from(body ?? ""),
    atMs: Number.isNaN(atMs) ? null : atMs,
    doubts: [],
  };
}

/** Names and values of an object, or of a list of pairs or of `{name, value}`. */
function textEntries(value: unknown): readonly (readonly [string, string])[] {
  if (!Array.isArray(value)) {
    return isObject(value) ? Object.entries(value).map(([name, each]) => [name, String(each)] as const) : [];
  }
  return value.map((each) => {
    const [name, text] = Array.isArray(each) ? each : isObject(each) ? [each["name"], each["value"]] : [];
    return [String(name), String(text)] as const;
  });
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
