import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { openApiDocument } from "../../functions/admin/openapi/document.js";
import { eventProblems } from "../../functions/admin/openapi/event-paths.js";
import { operations } from "../../functions/admin/openapi/operations.js";
import { routes } from "../../functions/admin/routes.js";
import { problemCodes } from "../../functions/app/admin/problem-codes.js";
import { type ProblemCode as EventProblemCode, problem as eventProblem } from "../../functions/ingress/answers.js";
import { startAdminRelay } from "../support/admin-relay.js";
import { checkAnswer, validate } from "../support/openapi-check.js";

// biome-ignore lint/suspicious/noExplicitAny: read as any client would read it.
const document = openApiDocument(routes) as any;

/** Each place of the document where a schema and examples stand together, as JSON pointers. */
function* contents(value: unknown, pointer = "#"): Generator<{ pointer: string; examples: Record<string, never> }> {
  if (typeof value !== "object" || value === null) return;
  if ("schema" in value && "examples" in value) {
    yield { pointer: `${pointer}/schema`, examples: value.examples as Record<string, never> };
  }
  for (const [name, inner] of Object.entries(value)) {
    yield* contents(inner, `${pointer}/${encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))}`);
  }
}

describe("the OpenAPI document", () => {
  test("is valid to a public validator", async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result).toMatchObject({ valid: true });
  });

  test("is what the API answers", async () => {
    const relay = await startAdminRelay();
    const { status, body } = await relay.call("GET", "/admin/openapi.json");
    expect([status, body]).toEqual([200, JSON.parse(JSON.stringify(document))]);
    await relay.close();
  });

  test("describes every route, and nothing else under /admin", () => {
    const described = Object.entries(document.paths as Record<string, object>).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const admin = described.filter((each) => each.includes(" /admin/") && !each.startsWith("PARAMETERS"));
    expect(admin.toSorted()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).toSorted());
    expect(new Set(routes.map(({ operation }) => operation))).toEqual(new Set(Object.keys(operations)));
    expect(described).toEqual(expect.arrayContaining(["POST /in/{sourceId}", "POST /publish/{sourceId}"]));
  });

  test("asks for a signature everywhere but at /in", () => {
    expect(document.security).toEqual([{ iam: [] }]);
    const open = Object.entries(document.paths as Record<string, Record<string, { security?: unknown[] }>>).filter(
      ([, item]) => Object.values(item).some(({ security }) => security?.length === 0),
    );
    expect(open.map(([path]) => path)).toEqual(["/in/{sourceId}", "/in/{sourceId}/{suffix}"]);
  });

  test("has examples that its own schemas accept", () => {
    const found = [...contents(document)];
    expect(found.length).toBeGreaterThan(25);
    for (const { pointer, examples } of found) {
      for (const { value } of Object.values(examples)) validate(pointer, value, pointer);
    }
  });

  test("names each parameter of a path", () => {
    for (const [path, item] of Object.entries(document.paths as Record<string, { parameters?: { name: string }[] }>)) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect((item.parameters ?? []).map(({ name }) => name)).toEqual(named);
    }
  });

  test("knows the codes and statuses that ingress answers with", () => {
    // The type asks for every code, the loop for its status.
    const codes: Readonly<Record<EventProblemCode, number>> = eventProblems;
    for (const [code, status] of Object.entries(codes)) {
      expect([code, eventProblem(code as EventProblemCode).statusCode]).toEqual([code, status]);
    }
  });

  test("takes a patch that takes fields away, and none with a field that there is not", () => {
    const patch = "#/components/schemas/SubscriptionPatch";
    validate(patch, { policy: { maxAttempts: null }, timeouts: null, name: "x" }, "patch");
    expect(() => validate(patch, { policy: { attempts: 3 } }, "patch")).toThrow();
    expect(() => validate(patch, { version: 3 }, "patch")).toThrow();
  });

  test("is loaded by whoever asks for it only", () => {
    const bundle = readFileSync(new URL("../../dist/functions/admin/index.mjs", import.meta.url), "utf8");
    expect(bundle).not.toContain("x-amazon-apigateway-authtype");
    expect(bundle).not.toContain("draft-2020-12");
  });
});

describe("the check of answers against the document", () => {
  const json = { "content-type": "application/json" };
  const problem = { type: "about:blank", title: "Not Found", status: 404, detail: "x", code: "unknown_delivery" };
  const refused = (path: string, status: number, body: unknown, type = "application/problem+json") =>
    checkAnswer("GET", path, { status, headers: { "content-type": type }, body });

  test("lets pass what is documented", () => {
    refused("/admin/deliveries/dlv_1", 404, problem);
    checkAnswer("GET", "/admin/sources", { status: 200, headers: json, body: { items: [], cursor: null } });
  });

  test("refuses a status, code, type, shape or field that is not", () => {
    expect(() => refused("/admin/deliveries/dlv_1", 410, problem)).toThrow("not documented");
    expect(() => refused("/admin/deliveries/dlv_1", 404, { ...problem, code: "unknown_source" })).toThrow();
    expect(() => refused("/admin/deliveries/dlv_1", 404, problem, "text/html")).toThrow("documents no");
    const list = (body: unknown) => () => checkAnswer("GET", "/admin/sources", { status: 200, headers: json, body });
    expect(list({ items: [] })).toThrow();
    expect(list({ items: [], cursor: null, total: 5 })).toThrow();
  });
});

describe("the page on the HTTP API", () => {
  const page = readFileSync(new URL("../../docs/http-api.md", import.meta.url), "utf8");

  test("names every route", () => {
    for (const { method, path } of routes) expect(page).toContain(`${method} \`${path}\``);
  });

  test("names every code with its statuses", () => {
    for (const [code, { statuses }] of Object.entries(problemCodes)) {
      expect(page).toContain(`| \`${code}\` | ${statuses.join(", ")} |`);
    }
    for (const [code, status] of Object.entries(eventProblems)) expect(page).toContain(`| \`${code}\` | ${status} |`);
  });
});
