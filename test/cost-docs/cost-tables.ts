import { type Assumptions, defaults } from "../../cli/cost/assumptions.js";
import { type CostView, costView } from "../../cli/cost/cost-view.js";
import { corpusSize, type EventSize, sizeOf } from "../../cli/cost/counted.js";
import type { Workload } from "../../cli/cost/month.js";
import { type Region, regions } from "../../cli/cost/prices.js";
import prices from "../../cli/cost/prices.json" with { type: "json" };
import { dollars, size as sizeText } from "../../cli/cost/show-cost.js";
import { generatedPart } from "../support/generated-part.js";
import { markdownTable } from "../support/markdown-table.js";

const command = "npm run cost-docs";

/** The parts of docs/cost.md that the cost model writes. */
export const costParts = {
  sizes: { part: generatedPart("docs/cost.md", "sizes", command), content: sizesTable },
  services: { part: generatedPart("docs/cost.md", "services", command), content: servicesTable },
  useCases: { part: generatedPart("docs/cost.md", "use-cases", command), content: useCasesTable },
  months: { part: generatedPart("docs/cost.md", "months", command), content: monthsTable },
  idle: { part: generatedPart("docs/cost.md", "idle", command), content: idleTable },
  prices: { part: generatedPart("docs/cost.md", "prices", command), content: pricesTable },
};

const regionNames: Readonly<Record<Region, string>> = { "us-east-1": "N. Virginia", "eu-central-1": "Frankfurt" };
const million = 1_000_000;

function view(size: EventSize, region: Region, assumed: Assumptions = defaults, events = million): CostView {
  const workload: Workload = { events, size, failureRate: 0, fanOut: 1, outageHours: 0 };
  return costView(workload, assumed, region);
}

const found = <Row extends { readonly name: string }>(rows: readonly Row[], name: string): Row => {
  const row = rows.find((each) => each.name === name);
  if (row === undefined) throw new Error(`no row ${name}`);
  return row;
};

/** A million events that are accepted and delivered at once. */
function sizesTable(): string {
  const sizes: ReadonlyArray<readonly [string, EventSize]> = [
    ...[256, 1_024, 10_240, 102_400, 1_048_576].map((bytes) => [sizeText(bytes), sizeOf(bytes)] as const),
    ["GitHub's payloads", corpusSize],
  ];
  const rows = sizes.flatMap(([name, size]) =>
    regions.map((region) => {
      const { useCases, totals } = view(size, region);
      const { runPerMillion } = found(useCases, "accepted, delivered at once");
      const alone = found(useCases, "the same, alone in its batch").runPerMillion;
      return [name, regionNames[region], dollars(runPerMillion), dollars(alone), dollars(totals.perMillionEvents)];
    }),
  );
  return table(["Body", "Region", "To run", "To run, one by one", "In all"], rows);
}

/** The same at 1 KB, by service. */
function servicesTable(): string {
  const [first, second] = regions.map((region) => view(sizeOf(1_024), region));
  const rows = (first as CostView).services.map(({ service, perMillionEvents }) => {
    const other = (second as CostView).services.find((each) => each.service === service);
    return [service, dollars(perMillionEvents), dollars(other?.perMillionEvents ?? 0)];
  });
  const totals = (name: string, of: (view: CostView) => number) => [
    name,
    dollars(of(first as CostView)),
    dollars(of(second as CostView)),
  ];
  const withoutFixed = rows.filter(([, virginia]) => virginia !== "-");
  return table(
    ["Service", ...regions.map((region) => regionNames[region])],
    [
      ...withoutFixed,
      totals("**to run**", (each) => each.totals.runPerMillionEvents),
      totals("**in all**", (each) => each.totals.perMillionEvents),
    ],
  );
}

/** A million of each use case at 1 KB. */
function useCasesTable(): string {
  const [first, second] = regions.map((region) => view(sizeOf(1_024), region).useCases);
  const rows = (first ?? []).map(({ name, runPerMillion, perMillion }) => {
    const other = found(second ?? [], name);
    return [name, dollars(runPerMillion), dollars(perMillion), dollars(other.runPerMillion), dollars(other.perMillion)];
  });
  const titles = regions.flatMap((region) => [`${regionNames[region]}, to run`, "in all"]);
  return table(["What becomes of it", ...titles], rows);
}

/** Whole months, the idle relay included. */
function monthsTable(): string {
  const rows = [10_000, 100_000, million, 10 * million, 100 * million].map((events) => [
    events.toLocaleString("en-US"),
    ...regions.map((region) => dollars(view(sizeOf(3_072), region, defaults, events).totals.month)),
  ]);
  return table(["Events a month, 3 KB", ...regions.map((region) => regionNames[region])], rows);
}

function idleTable(): string {
  const [first, second] = regions.map((region) => view(sizeOf(1_024), region).services);
  const rows = (first ?? [])
    .filter(({ idleMonth }) => idleMonth > 0)
    .map(({ service, idleMonth }) => [
      service,
      dollars(idleMonth),
      dollars(second?.find((each) => each.service === service)?.idleMonth ?? 0),
    ]);
  const total = regions.map((region) => dollars(view(sizeOf(1_024), region).totals.idleMonth));
  return table(["Service", ...regions.map((region) => regionNames[region])], [...rows, ["**a month**", ...total]]);
}

function pricesTable(): string {
  const rows = prices.lines.map(({ service, unit, prices: own, source, read }) => [
    `[${service}](${source})`,
    unit,
    `$${plain(own["us-east-1"])}`,
    `$${plain(own["eu-central-1"])}`,
    read,
  ]);
  return table(["Service", "Unit", ...regions.map((region) => regionNames[region]), "Read"], rows);
}

/** `0.0000133334`, never `1.33334e-5`. */
const plain = (price: number): string => price.toFixed(10).replace(/\.?0+$/, "");

const table = (titles: readonly string[], rows: ReadonlyArray<readonly string[]>): string =>
  `${markdownTable(titles, rows)}\n`;
