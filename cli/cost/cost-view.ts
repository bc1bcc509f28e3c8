import type { Assumptions } from "./assumptions.js";
import { monthOf, type Workload } from "./month.js";
import { useCases } from "./per-million.js";
import { currency, pricesAsOf, type Region } from "./prices.js";
import { costByService, costOf, isRun, runCostOf, sum } from "./usage.js";

/** The whole answer, as `--json` prints it. Amounts in US dollars, not rounded. */
export interface CostView {
  readonly prices: { readonly asOf: string; readonly currency: string; readonly region: Region };
  readonly workload: Omit<Workload, "size"> & { readonly bodyBytes: number };
  readonly assumptions: Assumptions;
  readonly services: readonly ServiceCost[];
  readonly month: readonly PartCost[];
  readonly useCases: readonly UseCaseCost[];
  readonly totals: {
    readonly month: number;
    /** Without what a relay costs when nothing comes. */
    readonly perMillionEvents: number;
    /** The same before storage, logs, monitoring and data transfer. */
    readonly runPerMillionEvents: number;
    readonly idleMonth: number;
  };
}

export interface ServiceCost {
  readonly service: string;
  /** False for storage, logs, monitoring and data transfer. */
  readonly run: boolean;
  /** Without the idle relay's own. */
  readonly perMillionEvents: number;
  readonly idleMonth: number;
  readonly month: number;
}

export interface PartCost {
  readonly name: string;
  readonly count: number;
  readonly month: number;
}

export interface UseCaseCost {
  readonly name: string;
  readonly runPerMillion: number;
  readonly perMillion: number;
}

const million = 1_000_000;

export function costView(workload: Workload, assumptions: Assumptions, region: Region): CostView {
  const parts = monthOf(workload, assumptions);
  const idle = sum(...parts.filter(({ name }) => name === "idle").map(({ usage }) => usage));
  const busy = sum(...parts.filter(({ name }) => name !== "idle").map(({ usage }) => usage));
  const all = costByService(sum(busy, idle), region);
  const [busyCosts, idleCosts] = [costByService(busy, region), costByService(idle, region)];
  const perMillion = (cost: number) => (cost / workload.events) * million;
  const { size, ...numbers } = workload;
  return {
    prices: { asOf: pricesAsOf, currency, region },
    workload: { ...numbers, bodyBytes: size.bodyBytes },
    assumptions,
    services: [...all].map(([service, month]) => ({
      service,
      run: isRun(service),
      perMillionEvents: perMillion(busyCosts.get(service) ?? 0),
      idleMonth: idleCosts.get(service) ?? 0,
      month,
    })),
    month: parts.map(({ name, count, usage }) => ({ name, count, month: costOf(usage, region) })),
    useCases: useCases(size, assumptions).map(({ name, usage }) => ({
      name,
      runPerMillion: runCostOf(usage, region) * million,
      perMillion: costOf(usage, region) * million,
    })),
    totals: {
      month: costOf(sum(busy, idle), region),
      perMillionEvents: perMillion(costOf(busy, region)),
      runPerMillionEvents: perMillion(runCostOf(busy, region)),
      idleMonth: costOf(idle, region),
    },
  };
}
