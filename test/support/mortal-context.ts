import type { DeliveryContext } from "../../functions/app/delivery/delivery-context.js";

/**
 * What goes wrong with a call. `dies`: the function ends there, and nothing after it happens. `fails`: the call is
 * rejected. Each either before the call has had its effect or after it: then only the answer is lost. `repeats`: the
 * answer was lost, the SDK made the call again, and what it heard then is the answer. Requests to destinations are not
 * the SDK's.
 */
export type Fault = "dies before" | "dies after" | "fails before" | "fails after" | "repeats";
export const faults: readonly Fault[] = ["dies before", "dies after", "fails before", "fails after", "repeats"];

/** Decides about each call before it is made, by the port's and the method's name; null lets it through. */
export type Strike = (call: string) => Fault | null;

/** What an invocation has in its own memory: no call that could fail. */
const ownMemory: ReadonlySet<string> = new Set(["settings", "metrics", "outcomes"]);

/**
 * The same ports for one invocation that may die: after its death no call has an effect or an answer. `death` resolves
 * when it dies.
 */
export function mortalContext(context: DeliveryContext, strike: Strike) {
  let die: () => void = () => {};
  let dead = false;
  const death = new Promise<"dead">((resolve) => {
    die = () => {
      dead = true;
      resolve("dead");
    };
  });
  const forever = new Promise<never>(() => {});

  const call = async (name: string, make: () => unknown): Promise<unknown> => {
    if (dead) return forever;
    const fault = strike(name);
    if (fault === "fails before") throw new Error(`${name} failed`);
    if (fault === "dies before") die();
    if (dead) return forever;
    if (fault === "repeats" && !name.startsWith("sender.")) await make();
    const answer = await make();
    if (fault === "fails after") throw new Error(`the answer of ${name} was lost`);
    if (fault === "dies after") die();
    return dead ? forever : answer;
  };

  const wrap = (port: object, name: string): object =>
    new Proxy(port, {
      get: (target, method) => {
        const value: unknown = Reflect.get(target, method);
        if (typeof value !== "function") return value;
        return (...input: unknown[]) => call(`${name}.${String(method)}`, () => value.apply(target, input));
      },
    });

  const ports = Object.entries(context).filter(([name, part]) => typeof part === "object" && !ownMemory.has(name));
  const wrapped = Object.fromEntries(ports.map(([name, port]) => [name, wrap(port as object, name)]));
  return { context: { ...context, ...wrapped } as DeliveryContext, death };
}
