import { type JsonSchema, schemaRef } from "./components.js";

/** `/in` and `/publish`: another function answers them; this is what it answers. */

/** Codes of its problem documents and their statuses. */
export const eventProblems = {
  malformed_request: 400,
  invalid_event_type: 400,
  invalid_idempotency_key: 400,
  unverified: 401,
  handshake_refused: 403,
  publish_only: 403,
  not_found: 404,
  unknown_source: 404,
  method_not_allowed: 405,
  body_too_large: 413,
  uri_too_long: 414,
  content_encoding: 415,
  not_durable: 503,
} as const;

type EventProblem = keyof typeof eventProblems;

const inProblems: readonly EventProblem[] = [
  "malformed_request",
  "unverified",
  "handshake_refused",
  "publish_only",
  "unknown_source",
  "body_too_large",
  "uri_too_long",
  "not_durable",
];

const publishProblems: readonly EventProblem[] = [
  "invalid_event_type",
  "invalid_idempotency_key",
  "unknown_source",
  "body_too_large",
  "content_encoding",
  "not_durable",
];

const sourceParameter = { name: "sourceId", in: "path", required: true, schema: { type: "string" } };
const suffixParameter = {
  name: "suffix",
  in: "path",
  required: true,
  description: "Anything, slashes too. Appended to the destination's URL where a subscription asks for it.",
  schema: { type: "string" },
};

const header = (name: string, most: number, description: string) => ({
  name,
  in: "header",
  description,
  schema: { type: "string", minLength: 1, maxLength: most },
});

const methods = ["get", "post", "put", "patch", "delete"] as const;

type ProblemAnswers = (
  codes: readonly (readonly [code: string, status: number])[],
) => Readonly<Record<string, unknown>>;

/** The paths of events; `problems` makes answers of codes. */
export function eventPaths(problems: ProblemAnswers): Readonly<Record<string, unknown>> {
  const answers = (codes: readonly EventProblem[]) => ({ 202: accepted, ...problems(codes.map(withStatus)) });
  const receive = (method: string, suffix: "" | "WithSuffix") => ({
    operationId: `${method}In${suffix}`,
    tags: ["events"],
    summary: "Accepts an event from a provider",
    description: "Any method; the raw body is what is delivered. Verified as the source says. Not IAM-authorised.",
    security: [],
    ...(method === "get" || method === "delete" ? {} : { requestBody: anyBody }),
    responses: answers(inProblems),
  });
  const path = (suffix: "" | "WithSuffix") => Object.fromEntries(methods.map((each) => [each, receive(each, suffix)]));
  return {
    "/in/{sourceId}": { parameters: [sourceParameter], ...path("") },
    "/in/{sourceId}/{suffix}": { parameters: [sourceParameter, suffixParameter], ...path("WithSuffix") },
    "/publish/{sourceId}": {
      parameters: [sourceParameter],
      post: {
        operationId: "publish",
        tags: ["events"],
        summary: "Publishes an event of your own",
        description:
          "Body and content type are delivered as they are; no other header of the request is stored or sent.",
        parameters: [
          header("steadyhook-event-type", 256, "Dotted type, e.g. invoice.paid."),
          header("idempotency-key", 1_024, "Publishing with the same key again is the same event."),
        ],
        requestBody: anyBody,
        responses: answers(publishProblems),
      },
    },
  };
}

const withStatus = (code: EventProblem) => [code, eventProblems[code]] as const;

const anyBody: JsonSchema = { required: false, content: { "*/*": { schema: {} } } };

const accepted = {
  description: "Durable. The same dedupe key gives the same id.",
  content: {
    "application/json": {
      schema: schemaRef("Accepted"),
      examples: { example: { value: { eventId: "evt_01k9zq6v3c5f8j2n4r7t0w1x9y" } } },
    },
  },
};
