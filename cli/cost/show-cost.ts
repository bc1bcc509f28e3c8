import type { Session } from "../session.js";
import type { Column } from "../table.js";
import { counted } from "../text.js";
import type { CostView, ServiceCost } from "./cost-view.js";

/** The tables for people: by service, by what happens, and a million of each use case. */
export function showCostView(session: Session, view: CostView): void {
  const { prices, services, month, useCases, totals, assumptions } = view;
  session.line(sentence(view));
  session.heading("A month, by service");
  table(session, serviceRows(services, totals), ["per million events", "idle", "month"]);
  session.heading("A month, by what happens");
  const happens = month.map(({ name, count, month: cost }) => [
    name,
    name === "idle" || name === "kept" ? "" : whole(count),
    dollars(cost),
  ]);
  table(session, happens, ["how often", "month"]);
  session.heading("A million of each, not counting what is kept");
  const each = useCases.map(({ name, runPerMillion, perMillion }) => [
    name,
    dollars(runPerMillion),
    dollars(perMillion),
  ]);
  table(session, each, ["to run", "in all"]);
  session.line();
  session.line(
    `List prices of ${prices.region} (${prices.asOf}), without free tiers. Batches of ${assumptions.batchSize}, destinations`,
  );
  session.line(
    `that answer in ${assumptions.latencyMs} ms; docs/cost.md has the method and everything that is assumed.`,
  );
}

function sentence({ workload }: CostView): string {
  const { events, bodyBytes, fanOut, failureRate, outageHours } = workload;
  return [
    `${whole(events)} events a month of ${size(bodyBytes)}, each to ${counted(fanOut, "subscription")}`,
    failureRate > 0 ? `${percent(failureRate)} of attempts fail` : "no attempt fails",
    outageHours > 0 ? `${counted(outageHours, "hour")} of outage` : "no outage",
  ].join("; ");
}

function serviceRows(services: readonly ServiceCost[], totals: CostView["totals"]): string[][] {
  const row = ({ service, perMillionEvents, idleMonth, month }: ServiceCost) => [
    service,
    dollars(perMillionEvents),
    dollars(idleMonth),
    dollars(month),
  ];
  const total = (name: string, of: readonly ServiceCost[]) =>
    row({
      service: name,
      run: true,
      perMillionEvents: of.reduce((sum, each) => sum + each.perMillionEvents, 0),
      idleMonth: of.reduce((sum, each) => sum + each.idleMonth, 0),
      month: of.reduce((sum, each) => sum + each.month, 0),
    });
  const run = services.filter((each) => each.run);
  return [
    ...run.map(row),
    total("to run", run),
    ...services.filter((each) => !each.run).map(row),
    ["in all", dollars(totals.perMillionEvents), dollars(totals.idleMonth), dollars(totals.month)],
  ];
}

/** The first column is text, the others are numbers under their titles. */
function table(session: Session, rows: readonly string[][], titles: readonly string[]): void {
  const columns = titles.map((title, index): Column<string[]> => {
    const width = Math.max(title.length, ...rows.map((row) => (row[index + 1] ?? "").length));
    return { title: title.padStart(width), value: (row) => (row[index + 1] ?? "").padStart(width) };
  });
  session.table(rows, [{ title: "", value: ([name = ""]) => name, cut: true }, ...columns]);
}

const grouped = (text: string): string => text.replaceAll(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ",");

/** `$1,234.56`, `<$0.01`, `-` for nothing. */
export function dollars(amount: number): string {
  if (amount === 0) return "-";
  return amount < 0.005 ? "<$0.01" : `$${grouped(amount.toFixed(2))}`;
}

const whole = (count: number): string => (count < 0.5 ? "<1" : grouped(count.toFixed(0)));

const percent = (share: number): string => `${Number((share * 100).toFixed(2))}%`;

/** `300 bytes`, `3 KB`, `1.5 MB`. */
export function size(bytes: number): string {
  if (bytes < 1_024) return `${bytes} bytes`;
  const [value, unit] = bytes < 1_024 ** 2 ? [bytes / 1_024, "KB"] : [bytes / 1_024 ** 2, "MB"];
  return `${Number(value.toFixed(1))} ${unit}`;
}
