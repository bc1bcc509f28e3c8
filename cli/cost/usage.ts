import { type Meter, meters, priceOf, type Region, serviceOf } from "./prices.js";

/** How much of each meter something takes; what is left out is 0. */
export type Usage = Readonly<Partial<Record<Meter, number>>>;

export const sum = (...usages: readonly Usage[]): Usage =>
  Object.fromEntries(
    meters.flatMap((meter) => {
      const amount = usages.reduce((total, usage) => total + (usage[meter] ?? 0), 0);
      return amount === 0 ? [] : [[meter, amount]];
    }),
  );

export const times = (usage: Usage, factor: number): Usage =>
  Object.fromEntries(Object.entries(usage).map(([meter, amount]) => [meter, amount * factor]));

/** US dollars. */
export const costOf = (usage: Usage, region: Region): number =>
  meters.reduce((total, meter) => total + (usage[meter] ?? 0) * priceOf(meter, region), 0);

/** US dollars of each service that is used, in the order of the price list. */
export function costByService(usage: Usage, region: Region): ReadonlyMap<string, number> {
  const costs = new Map<string, number>();
  for (const meter of meters) {
    const amount = usage[meter] ?? 0;
    if (amount === 0) continue;
    const service = serviceOf(meter);
    costs.set(service, (costs.get(service) ?? 0) + amount * priceOf(meter, region));
  }
  return costs;
}

/** The services that {@link isRun} leaves out. */
const beside: readonly string[] = [
  "DynamoDB storage",
  "S3 storage",
  "CloudWatch Logs",
  "CloudWatch",
  "Data transfer out",
];

/** Whether a service is paid for what is done, and not for what is kept, shown, logged or sent over the internet. */
export const isRun = (service: string): boolean => !beside.includes(service);

/** US dollars before storage, logs, monitoring and data transfer. */
export const runCostOf = (usage: Usage, region: Region): number =>
  [...costByService(usage, region)].reduce((total, [service, cost]) => total + (isRun(service) ? cost : 0), 0);
