import type { Lane } from "../../functions/app/ports.js";
import { CalmRelay, type CalmRequest, type Reply } from "./calm-relay.js";

/** How long a destination that hangs keeps its requests, and a healthy one. */
const hangsForMs = 60_000;
const answersInMs = 50;

const healthy = "healthy";
const hanging = "hanging";

export interface CrowdedSettings {
  /** Events a second to a destination that hangs. */
  readonly hangingPerSecond: number;
  readonly healthyPerSecond: number;
  readonly seconds: number;
  /** Nobody notes who hangs: the relay as it would be without a slow lane. */
  readonly withoutSlowLane?: boolean;
}

/** What came of a run. */
export interface Crowd {
  /** From acceptance to the request of its first attempt, ms, by number of the healthy event; undefined: none yet. */
  readonly healthyWaitsMs: readonly (number | undefined)[];
  /** Most invocations on the fast lane that held a hanging request at the same time. */
  readonly mostHeld: number;
  /** Requests to the destination that hangs, by lane. */
  readonly hangingRequests: Readonly<Record<Lane, number>>;
}

/** Plays events to two destinations over both lanes, with the real use cases, in virtual time. */
export async function playCrowd(settings: CrowdedSettings): Promise<Crowd> {
  const { hangingPerSecond, healthyPerSecond, seconds, withoutSlowLane = false } = settings;
  const healthyWaitsMs: (number | undefined)[] = [];
  const sent = new Map<string, { readonly number: number; readonly atMs: number }>();
  const hangingRequests = { fast: 0, slow: 0 };
  /** Environments of the fast lane that hold a hanging request. */
  const held = new Map<object, number>();
  let mostHeld = 0;

  const relay = new CalmRelay({
    destination({ host, eventId, atMs, lane }): Reply {
      if (host === hanging) {
        hangingRequests[lane]++;
        return { afterMs: hangsForMs, error: "read_timeout" };
      }
      const event = sent.get(eventId);
      if (event !== undefined) healthyWaitsMs[event.number] = atMs - event.atMs;
      return { afterMs: answersInMs, status: 200 };
    },
    changes: ({ gates }) => {
      if (withoutSlowLane) gates.noteSlow = async () => {};
      return {};
    },
    watch(environment, { host, lane }: CalmRequest, isOver) {
      if (host !== hanging || lane !== "fast") return;
      const count = (held.get(environment) ?? 0) + (isOver ? -1 : 1);
      if (count === 0) held.delete(environment);
      else held.set(environment, count);
      mostHeld = Math.max(mostHeld, held.size);
    },
  });

  /** Events come evenly; a healthy one is accounted for from the start. */
  function send(host: string, perSecond: number): void {
    relay.subscribe(host);
    for (let number = 0; number < perSecond * seconds; number++) {
      relay.world.after((number * 1000) / perSecond, () => {
        if (host === healthy) healthyWaitsMs[number] = undefined;
        const eventId = relay.accept(host);
        if (host === healthy) sent.set(eventId, { number, atMs: relay.world.now() });
      });
    }
  }
  send(hanging, hangingPerSecond);
  send(healthy, healthyPerSecond);
  await relay.world.run(relay.startMs + seconds * 1000);
  return { healthyWaitsMs, mostHeld, hangingRequests };
}
