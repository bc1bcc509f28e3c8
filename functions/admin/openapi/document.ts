import { problemCodes } from "../../app/admin/problem-codes.js";
import { componentSchemas, type JsonSchema, parameterSchema, schemaRef } from "./components.js";
import { eventPaths } from "./event-paths.js";
import { problem as problemExample } from "./examples.js";
import type { Answer, Operation } from "./operation.js";
import { type OperationName, operations } from "./operations.js";

/** What of the route table the document needs. */
interface Route {
  readonly operation: OperationName;
  readonly method: string;
  readonly path: string;
  readonly writes?: unknown;
}

/**
 * The OpenAPI 3.1 document: paths and methods from the route table, shapes from the schemas by which requests are
 * checked and answers are typed.
 */
export function openApiDocument(routes: readonly Route[]): JsonSchema {
  return {
    openapi: "3.1.0",
    info: {
      title: "Steadyhook",
      version: "1",
      description:
        "A webhook relay: sources, subscriptions, events, deliveries. Times are ISO 8601, durations seconds.",
      license: { name: "Apache 2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [{ iam: [] }],
    tags: ["events", "sources", "subscriptions", "deliveries", "replays", "faults", "relay"].map((name) => ({ name })),
    paths: { ...eventPaths(problemAnswers), ...adminPaths(routes) },
    components: { schemas: componentSchemas(), securitySchemes: { iam } },
  };
}

/** AWS Signature Version 4, as API Gateway's own exports describe it. */
const iam = {
  type: "apiKey",
  name: "Authorization",
  in: "header",
  description: "AWS Signature Version 4 for execute-api. The local relay asks for none.",
  "x-amazon-apigateway-authtype": "awsSigv4",
};

function adminPaths(routes: readonly Route[]): Readonly<Record<string, unknown>> {
  const paths = [...new Set(routes.map(({ path }) => path))];
  return Object.fromEntries(
    paths.map((path) => {
      const methods = routes.filter((route) => route.path === path);
      const entries = methods.map((route) => [
        route.method.toLowerCase(),
        operationOf(route, operations[route.operation]),
      ]);
      return [path, { ...pathParameters(path), ...Object.fromEntries(entries) }];
    }),
  );
}

function pathParameters(path: string) {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  if (names.length === 0) return {};
  return { parameters: names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })) };
}

function operationOf(route: Route, operation: Operation) {
  // Everything refuses a parameter that it does not know.
  const codes = [...new Set([...operation.problems, "invalid_request" as const, "internal_error" as const])];
  const statuses = codes.flatMap((code) => problemCodes[code].statuses.map((status) => [code, status] as const));
  const parameters = [...queryParameters(operation), ...headers(route, operation)];
  return {
    operationId: route.operation,
    tags: [tagOf(route)],
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBody(route, operation),
    responses: {
      ...Object.fromEntries(operation.answers.map((answer) => [answer.status, answerOf(answer)])),
      ...problemAnswers(statuses.filter(([code, status]) => isPossible(operation, code, status))),
    },
  };
}

/** The last kind of object that the path names. */
const tagOf = ({ path }: Route): string =>
  [...path.matchAll(/\/(sources|subscriptions|deliveries|events|replays|faults)\b/g)].at(-1)?.[1] ?? "relay";

/** The same code is a 412 where a precondition may be given, and a 409 where something is created. */
const isPossible = ({ conditional }: Operation, code: string, status: number): boolean =>
  code !== "already_exists" || (conditional === "put") === (status === 412);

function queryParameters({ query }: Operation): readonly unknown[] {
  return Object.entries(query?.entries ?? {}).map(([name, schema]) => ({
    name,
    in: "query",
    required: false,
    schema: parameterSchema(schema),
  }));
}

function headers({ writes }: Route, { conditional, idempotencyKey }: Operation): readonly unknown[] {
  const parameter = (name: string, description: string) => ({
    name,
    in: "header",
    description,
    schema: { type: "string" },
  });
  return [
    ...(writes === undefined ? [] : [parameter("Steadyhook-Reason", "What it is for, in the audit trail.")]),
    ...(idempotencyKey ? [parameter("Idempotency-Key", "Names the replay: asked again, it is the same one.")] : []),
    ...(conditional === undefined
      ? []
      : [parameter("If-Match", 'The version that is to be changed, e.g. `"3"`, or `*`.')]),
    ...(conditional === "put" ? [parameter("If-None-Match", "`*`: create only.")] : []),
  ];
}

function requestBody({ method }: Route, { body, emptyJson }: Operation) {
  if (emptyJson === true) {
    const schema = { type: "object", additionalProperties: false };
    return { requestBody: { required: false, content: { "application/json": { schema } } } };
  }
  if (body === undefined) return {};
  const content = { schema: schemaRef(body.schema), examples: { example: { value: body.example } } };
  const patch = method === "PATCH" ? { "application/merge-patch+json": content } : {};
  return { requestBody: { required: body.optional !== true, content: { "application/json": content, ...patch } } };
}

const textHeader = (description: string) => ({ description, schema: { type: "string" } });

function answerOf({ description, schema, example, bytes, etag, location }: Answer) {
  const headers = {
    ...(etag ? { ETag: textHeader("The version, in quotes.") } : {}),
    ...(location ? { Location: textHeader("Where it is.") } : {}),
    ...(bytes ? { "Steadyhook-Original-Content-Type": textHeader("What the sender called it.") } : {}),
  };
  return {
    description,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(bytes ? { content: { "application/octet-stream": { schema: {} } } } : {}),
    ...(schema === undefined ? {} : { content: { "application/json": jsonContent(schemaRef(schema), example) } }),
  };
}

const jsonContent = (schema: JsonSchema, example: unknown) => ({
  schema,
  ...(example === undefined ? {} : { examples: { example: { value: example } } }),
});

/** One answer per status, which names its codes. */
function problemAnswers(problems: ReadonlyArray<readonly [code: string, status: number]>) {
  const statuses = [...new Set(problems.map(([, status]) => status))];
  return Object.fromEntries(
    statuses.map((status) => {
      const codes = problems.filter(([, of]) => of === status).map(([code]) => code);
      const schema = {
        allOf: [schemaRef("Problem"), { properties: { status: { const: status }, code: { enum: codes } } }],
      };
      const example = codes.includes(problemExample.code) ? problemExample : undefined;
      return [
        status,
        {
          description: codes.map(describe).join(" "),
          content: { "application/problem+json": jsonContent(schema, example) },
        },
      ];
    }),
  );
}

const meanings: Readonly<Record<string, { readonly meaning: string } | undefined>> = problemCodes;

const describe = (code: string): string => `\`${code}\`${meanings[code] ? `: ${meanings[code].meaning}` : "."}`;
