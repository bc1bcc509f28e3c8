import { describe, expect, test } from "vitest";
import { openApiDocument } from "../../functions/admin/openapi/document.js";
import { routes } from "../../functions/admin/routes.js";
import { calls } from "../../lib/access-calls.js";
import { allPages, codeSpansOf, type Page, pageAt, proseOf } from "./markdown.js";

/** Names of all fields that the document describes. */
function* fieldsOf(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  if ("properties" in value) yield* Object.keys(value.properties as object);
  for (const inner of Object.values(value)) yield* fieldsOf(inner);
}

/** `GET /admin/sources` of table rows and headings: a method, or several, before a path in code. */
const routesOn = (page: Page): readonly string[] =>
  [...proseOf(page).matchAll(/\b((?:GET|POST|PUT|PATCH|DELETE)) `(\/admin\/[^`?]*)`/g)].map(
    ([, method, path]) => `${method} ${path}`,
  );

const known = routes.map(({ method, path }) => `${method} ${path}`);

/** A route as it is written in a sentence, with an id or `…` where the path has a parameter. */
const isKnown = (route: string): boolean => {
  const wanted = route.split("/");
  return known.some((each) => {
    const parts = each.split("/");
    return parts.length === wanted.length && parts.every((part, at) => part.startsWith("{") || part === wanted[at]);
  });
};

describe("docs/http-api.md", () => {
  test("has every route of the admin API, and none that does not exist", () => {
    expect(new Set(routesOn(pageAt("docs/http-api.md")))).toEqual(new Set(known));
  });

  test("has every field, or the concepts, where policies are, do", () => {
    const words = new Set(`${pageAt("docs/http-api.md").text}${pageAt("docs/concepts.md").text}`.match(/\w+/g));
    const fields = new Set(fieldsOf(openApiDocument(routes)["components"]));
    expect([...fields].filter((field) => !words.has(field))).toEqual([]);
    expect(fields.size).toBeGreaterThan(100);
  });
});

test("routes that pages name in a sentence exist", () => {
  const named = allPages().flatMap((page) =>
    codeSpansOf(page).flatMap(
      (code) => /^(?:GET|POST|PUT|PATCH|DELETE) \/admin\/[^\s?*]*$/.exec(code.split("?")[0] ?? "") ?? [],
    ),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((route) => !isKnown(route))).toEqual([]);
});

test("docs/security.md says what each role may call", () => {
  const page = pageAt("docs/security.md");
  const allowed = (role: string): readonly string[] => {
    const row = proseOf(page)
      .split("\n")
      .find((line) => line.startsWith(`| \`${role}\``));
    return [...(row ?? "").matchAll(/`([A-Z*]+ \/[^`]+)`/g)].map(([, call = ""]) => call);
  };
  const ofRole = (role: keyof typeof calls) => calls[role].map(([method, path]) => `${method} ${path}`);
  const onlyOperate = ofRole("operate").filter((call) => !ofRole("read").includes(call));
  expect(new Set(allowed("grantRead"))).toEqual(new Set(ofRole("read")));
  expect(new Set(allowed("grantOperate"))).toEqual(new Set(onlyOperate));
  expect(allowed("grantAdmin")).toEqual(ofRole("admin"));
});
