import { runToEnd } from "./backlog.js";
import { CalmRelay, type Reply } from "./calm-relay.js";
import { mostWithin } from "./outage.js";

export interface StampedeSettings {
  readonly count: number;
  /** Without one nothing but the policy's jitter spreads what failed at the same moment. */
  readonly hasCircuit: boolean;
  /** What the destination refuses, by the number of the attempt and the milliseconds since the beginning. */
  readonly refuses: (attempt: number, sinceMs: number) => boolean;
  readonly retryAfterSeconds?: number;
}

export interface Stampede {
  /** Most requests within one second, by the number of the attempt; index 0: of the second attempts. */
  readonly most: readonly number[];
  /** The same of all requests since the first refusals were over: what was parked meanwhile makes its first attempt. */
  readonly mostAfterwards: number;
  readonly errors: readonly string[];
  readonly delivered: number;
}

/** Until then the first attempts are over, of all that are not parked. */
export const firstAttemptsMs = 20_000;

/** Many deliveries whose attempts fail at the same moment, with the delays of the default policy. */
export async function playStampede({
  count,
  hasCircuit,
  refuses,
  retryAfterSeconds,
}: StampedeSettings): Promise<Stampede> {
  const times: number[][] = [];
  const afterwards: number[] = [];
  const refusal: Reply = {
    afterMs: 10,
    status: 503,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
  const relay = new CalmRelay({
    destination({ attempt, atMs }) {
      if (atMs > relay.startMs + firstAttemptsMs) afterwards.push(atMs);
      if (attempt > 1) {
        const step = times[attempt - 2] ?? [];
        step.push(atMs);
        times[attempt - 2] = step;
      }
      return refuses(attempt, atMs - relay.startMs) ? refusal : { afterMs: 10, status: 200 };
    },
  });
  relay.subscribe("dest", hasCircuit ? {} : { circuit: { failureThreshold: 1_000_000 } });
  for (let number = 0; number < count; number++) relay.accept("dest");
  await runToEnd(relay, 24 * 3_600);
  const states = [...relay.deliveries.deliveries.values()].map(({ status }) => status);
  return {
    mostAfterwards: mostWithin(1_000, afterwards),
    most: times.map((each) => mostWithin(1_000, each)),
    errors: relay.errors,
    delivered: states.filter((status) => status === "delivered").length,
  };
}
