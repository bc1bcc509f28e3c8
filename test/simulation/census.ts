import type { SimulatedRelay } from "./relay.js";

const everyMs = 60_000;

/** What is on the queues, counted every minute: nothing may multiply. */
export class Census {
  /** Messages of one delivery at a time, at the most. */
  mostOfOneDelivery = 0;
  /** Ticks of one subscription at a time, at the most; those of chains that have been replaced included. */
  mostTicksOfOne = 0;
  /** The same, only of the tick that the gate waits for. */
  mostLiveTicksOfOne = 0;

  constructor(private readonly relay: SimulatedRelay) {}

  start(): void {
    this.count();
    this.relay.world.after(everyMs, () => this.start());
  }

  private count(): void {
    const { deliveryQueue, slowQueue } = this.relay;
    const deliveries = new Map<string, number>();
    for (const { body } of [...deliveryQueue.messages.values(), ...slowQueue.messages.values()]) {
      const id = /"deliveryId":"([^"]+)"/.exec(body)?.[1];
      if (id !== undefined) add(deliveries, id);
    }
    const [ticks, live] = [new Map<string, number>(), new Map<string, number>()];
    for (const { subscriptionId, isLive } of this.ticks()) {
      add(ticks, subscriptionId);
      if (isLive) add(live, subscriptionId);
    }
    this.mostOfOneDelivery = Math.max(this.mostOfOneDelivery, ...deliveries.values());
    this.mostTicksOfOne = Math.max(this.mostTicksOfOne, ...ticks.values());
    this.mostLiveTicksOfOne = Math.max(this.mostLiveTicksOfOne, ...live.values());
  }

  /** Ticks on their way, but for the next one of a gate whose circuit is open: it may wait for whom to probe with. */
  strayTicks(): number {
    const { gates } = this.relay.config;
    return this.ticks().filter(({ subscriptionId, isLive }) => !isLive || !gates.get(subscriptionId)?.circuit).length;
  }

  private ticks(): readonly { readonly subscriptionId: string; readonly isLive: boolean }[] {
    const { controlQueue, config } = this.relay;
    return [...controlQueue.messages.values()].map(({ body }) => {
      const { subscriptionId, seq } = JSON.parse(body) as { subscriptionId: string; seq: number | null };
      return { subscriptionId, isLive: seq === config.gates.get(subscriptionId)?.tick?.seq };
    });
  }
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
