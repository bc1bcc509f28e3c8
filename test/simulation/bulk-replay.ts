import { MemorySubscriptionStore } from "../../functions/adapters/memory/memory-subscription-store.js";
import type { AdminContext } from "../../functions/app/admin/context.js";
import { cancelReplay, createReplay, dryRunReplay, findReplay } from "../../functions/app/admin/replays.js";
import type { DryRunView, ReplayView } from "../../functions/app/admin/view-schemas.js";
import type { ControlContext } from "../../functions/app/control/process-control.js";
import { buryMany } from "./backlog.js";
import { CalmRelay, type CalmRequest, retentionDays } from "./calm-relay.js";
import { limited } from "./outage.js";

/** Requests a second that the repaired destination takes: it answers 503 above that. */
const capacityPerSecond = 100;
/** As long as both destinations take: a page of replays holds several slots for a good part of its second. */
const answersInMs = 600;
/** New events a second to each destination: with the replays less than it takes. */
const freshPerSecond = 5;

export interface ReplaySettings {
  /** Dead letters, all of one subscription. */
  readonly count: number;
  /** Replays a second that are asked for. */
  readonly perSecond: number;
  readonly controlChanges?: (context: ControlContext) => Partial<ControlContext>;
  /** How long the admin API waits for each of its reads of deliveries. Default 0. */
  readonly readMs?: number;
}

/** A relay that holds the dead letters of a destination that is repaired, and what an operator does about them. */
export class ReplayScene {
  readonly relay: CalmRelay;
  /** Requests of replays, and those of new events, in the order of their beginning. */
  readonly replayed: CalmRequest[] = [];
  readonly fresh: CalmRequest[] = [];
  refused = 0;
  private readonly acceptedAt = new Map<string, number>();
  private readonly admin: AdminContext;

  private constructor(private readonly settings: ReplaySettings) {
    const take = limited(capacityPerSecond, { status: 503 }, answersInMs);
    this.relay = new CalmRelay({
      isSwept: true,
      ...(settings.controlChanges === undefined ? {} : { controlChanges: settings.controlChanges }),
      destination: (request) => {
        (this.acceptedAt.has(request.eventId) ? this.fresh : this.replayed).push(request);
        const reply = request.host === "repaired" ? take(request) : { afterMs: answersInMs, status: 200 };
        if (reply.status !== 200) this.refused++;
        return reply;
      },
    });
    this.relay.subscribe("repaired");
    this.relay.subscribe("other");
    this.admin = adminOf(this.relay, settings.readMs ?? 0);
  }

  static async of(settings: ReplaySettings): Promise<ReplayScene> {
    const scene = new ReplayScene(settings);
    await buryMany(scene.relay, "repaired", settings.count);
    return scene;
  }

  dryRun(): Promise<DryRunView> {
    return dryRunReplay(this.admin, { filter: {}, perSecond: this.settings.perSecond });
  }

  begin(): Promise<ReplayView> {
    const { perSecond } = this.settings;
    return createReplay(this.admin, { filter: {}, perSecond }, { caller: null, reason: null });
  }

  find(replayId: string): Promise<ReplayView> {
    return findReplay(this.admin, replayId);
  }

  cancel(replayId: string): Promise<ReplayView> {
    return cancelReplay(this.admin, replayId);
  }

  /** Goes on until it has ended and nothing is under way any more, an hour at the most; the bulk replay as it is then. */
  async end(replayId: string): Promise<ReplayView> {
    const { world } = this.relay;
    const untilMs = world.now() + 3_600_000;
    for (;;) {
      const job = await this.find(replayId);
      const isOver = job.state !== "running" && this.relay.open === 0;
      if (isOver || world.now() >= untilMs) return job;
      await world.run(world.now() + 1_000);
    }
  }

  /** Events come from now on, for so long, evenly, to the repaired destination and to another one. */
  sendFresh(seconds: number): void {
    const { relay, acceptedAt } = this;
    const gapMs = 1000 / freshPerSecond;
    for (const host of ["repaired", "other"]) {
      for (let number = 0; number < freshPerSecond * seconds; number++) {
        relay.world.after((number + 0.5) * gapMs, () => acceptedAt.set(relay.accept(host), relay.world.now()));
      }
    }
  }

  /** From acceptance to the request of the first attempt, ms, in the order of acceptance; infinite: there was none. */
  freshWaitsMs(): readonly number[] {
    const first = new Map(this.fresh.filter(({ attempt }) => attempt === 1).map((each) => [each.eventId, each.atMs]));
    return [...this.acceptedAt].map(([eventId, atMs]) => (first.get(eventId) ?? Number.POSITIVE_INFINITY) - atMs);
  }

  /** Replays that are stored. */
  made(): number {
    let made = 0;
    for (const { replayOf } of this.relay.deliveries.deliveries.values()) if (replayOf !== null) made++;
    return made;
  }
}

/** What bulk replays use of the admin API's context. */
function adminOf(relay: CalmRelay, readMs: number): AdminContext {
  const deliveries = Object.create(relay.deliveries) as typeof relay.deliveries;
  deliveries.findDeliveries = async (ids) => {
    if (readMs > 0) await relay.world.wait(readMs);
    return relay.deliveries.findDeliveries(ids);
  };
  const used: Partial<AdminContext> = {
    subscriptions: new MemorySubscriptionStore(relay.config, retentionDays),
    deliveries,
    deliveryIndex: relay.deliveryIndex,
    replays: relay.replays,
    control: relay.queues,
    now: relay.world.now,
    entropy: (bytes) => Buffer.from(Array.from({ length: bytes }, () => relay.world.between(0, 255))),
    retentionDays,
  };
  return used as AdminContext;
}

/** The port, one call of which, counted from 1, is left to `instead`: it may make the call, or not. */
export function atCall<Port extends object>(
  port: Port,
  name: keyof Port,
  number: number,
  instead: (call: () => Promise<unknown>) => Promise<unknown>,
): Port {
  let calls = 0;
  return new Proxy(port, {
    get(target, key) {
      const method = Reflect.get(target, key) as unknown;
      if (typeof method !== "function") return method;
      return (...given: unknown[]) => {
        const call = () => method.apply(target, given) as Promise<unknown>;
        return key === name && ++calls === number ? instead(call) : call();
      };
    },
  });
}
