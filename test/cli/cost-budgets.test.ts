import { describe, expect, it } from "vitest";
import { type Assumptions, defaults } from "../../cli/cost/assumptions.js";
import { corpusSize, deliveryWriteUnits, type EventSize, sizeOf, stepOf } from "../../cli/cost/counted.js";
import { useCases } from "../../cli/cost/per-million.js";
import { costByService, runCostOf } from "../../cli/cost/usage.js";
import { openApiDocument } from "../../functions/admin/openapi/document.js";
import { routes } from "../../functions/admin/routes.js";
import { tableLayout } from "../../functions/shared/table-layout.js";
import { pageAt } from "../docs/markdown.js";

/** US dollars for a million events that are accepted and delivered at once, before storage, logs and transfer. */
function delivered(size: EventSize, assumed: Assumptions = defaults): { readonly all: number; readonly plain: number } {
  const usage = useCases(size, assumed).find(({ name }) => name === "accepted, delivered at once")?.usage ?? {};
  const all = runCostOf(usage, "us-east-1") * 1_000_000;
  const fair = (costByService(usage, "us-east-1").get("SQS fair queues") ?? 0) * 1_000_000;
  return { all, plain: all - fair };
}

describe("the budget of a million events, in batches of ten", () => {
  it("is $4.40 at 1 KB at SQS's plain price, also on a machine that is slower by half", () => {
    expect(delivered(sizeOf(1_024)).plain).toBeLessThanOrEqual(4.4);
    const slower = { ...defaults, attemptCpuMs: 1.5 * defaults.attemptCpuMs };
    expect(delivered(sizeOf(1_024), slower).plain).toBeLessThanOrEqual(4.4);
  });

  it("is $4.51 at 1 KB with what fair queues may add", () => {
    expect(delivered(sizeOf(1_024)).all).toBeLessThanOrEqual(4.51);
  });

  it("is $6.00 for GitHub's payloads, with all of that", () => {
    expect(delivered(corpusSize).all).toBeLessThanOrEqual(6);
  });

  it("is what docs/cost.md says of it", () => {
    const text = (amount: number) => `$${amount.toFixed(2)}`;
    const { all, plain } = delivered(sizeOf(1_024));
    const { text: page } = pageAt("docs/cost.md");
    expect(page).toContain(`${text(plain)} at SQS's plain price; ${text(all)} with what fair queues may add`);
    expect(page).toContain(`at most $6.00 to run | ${text(delivered(corpusSize).all)} |`);
  });

  it("is spent on the table by half at least: fewer units are what would save", () => {
    expect((4 * 0.625) / delivered(sizeOf(1_024)).all).toBeGreaterThan(0.5);
  });
});

describe("counted budgets", () => {
  it("ingress: one call and one round trip", () => {
    expect(stepOf("accepted")).toMatchObject({ roundTrips: 1, queueRequests: 1, writeUnits: 0, readUnits: 0, puts: 0 });
  });

  it("a first attempt that succeeds: four write units, as long as each item is within 1,024 bytes", () => {
    expect(stepOf("delivered1k")).toMatchObject({ writeUnits: 4, readUnits: 0, queueRequests: 0, schedules: 0 });
    expect(stepOf("delivered1k").largestItemBytes).toBeLessThanOrEqual(1_024);
    expect(deliveryWriteUnits() + sizeOf(1_024).eventWriteUnits).toBe(4);
  });
});

describe("each index of the table, in docs/cost.md", () => {
  const page = pageAt("docs/cost.md").text;
  const rows = page
    .split("\n")
    .filter((line) => /^\| `\w+` \| (every|what)/.test(line))
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const paths = openApiDocument(routes)["paths"] as Record<string, Record<string, unknown>>;

  it("has a row", () => {
    expect(rows.map((cells) => cells[1]?.replaceAll("`", ""))).toEqual(
      Object.values(tableLayout.indexes).map(({ name }) => name),
    );
  });

  it("has a route that needs it", () => {
    for (const cells of rows) {
      const named = [...(cells[4] ?? "").matchAll(/(GET|POST) `([^`?]+)/g)];
      expect(named.length, cells[1]).toBeGreaterThan(0);
      for (const [route, method = "", path = ""] of named) {
        expect(Object.keys(paths[path] ?? {}), route).toContain(method.toLowerCase());
      }
    }
  });
});
