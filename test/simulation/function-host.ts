import type { World } from "./world.js";

/** How often things go wrong; each a probability per call or per event. */
export interface Chaos {
  /** A call of AWS is refused before it does anything (throttle, 5xx). */
  readonly refuse: number;
  /** A call does what it should, and its answer is lost. */
  readonly loseAnswer: number;
  /** The function dies before or after a call, with everything that it was doing. */
  readonly crash: number;
  /** A received message is received by another invocation at the same time. */
  readonly duplicate: number;
  /** An acknowledgement is lost: the message comes again. */
  readonly loseAck: number;
  /** A one-time schedule never fires. */
  readonly loseSchedule: number;
  /** How late entries show on an index, ms at the most. */
  readonly indexLagMs: number;
  /** A machine's clock is set between two invocations. */
  readonly clockStep: number;
}

export const calm: Chaos = {
  refuse: 0,
  loseAnswer: 0,
  crash: 0,
  duplicate: 0,
  loseAck: 0,
  loseSchedule: 0,
  indexLagMs: 0,
  clockStep: 0,
};

/** Clocks are off by up to a second. */
const someOffset = (world: World): number => world.between(-1_000, 1_000);

/**
 * Nothing that was started in a dead environment ever goes on. A promise of its own each time: one that all shared
 * would remember everybody who ever waited for it.
 */
export const forever = (): Promise<never> => new Promise(() => {});

/**
 * One execution environment of a function: keeps its caches between invocations, works on one at a time, and can die
 * at any call. A dead one is never used again, and what it was waiting for never comes.
 */
export class Environment {
  busy = false;
  /** How far this machine's clock is from the true time. */
  clockOffsetMs: number;
  /** Resolves when the environment dies. */
  readonly death: Promise<void>;
  private life: "alive" | "dead" = "alive";
  private endOfInvocationMs = 0;
  private resolveDeath: () => void = () => {};

  constructor(
    readonly world: World,
    private readonly chaos: () => Chaos,
  ) {
    this.clockOffsetMs = someOffset(world);
    this.death = new Promise((resolve) => {
      this.resolveDeath = resolve;
    });
  }

  readonly now = (): number => this.world.now() + this.clockOffsetMs;

  /** A timer of this machine. */
  readonly after = (afterMs: number, run: () => void): (() => void) => {
    let isOff = false;
    this.world.after(afterMs, () => {
      if (!isOff && !this.isDead()) run();
    });
    return () => {
      isOff = true;
    };
  };

  isDead(): boolean {
    return this.life === "dead";
  }

  remainingMs(): number {
    return this.endOfInvocationMs - this.world.now();
  }

  /** Runs one invocation; undefined when the environment died or ran out of time on it. */
  async invoke<Result>(timeoutSeconds: number, run: () => Promise<Result>): Promise<Result | undefined> {
    this.busy = true;
    this.setClock();
    this.endOfInvocationMs = this.world.now() + timeoutSeconds * 1000;
    const outcome = await Promise.race([
      run().then((result) => ({ result })),
      this.world.wait(timeoutSeconds * 1000),
      this.death,
    ]);
    this.busy = false;
    if (outcome === undefined) this.die();
    return outcome?.result;
  }

  /** Between two invocations somebody may have set the clock. */
  private setClock(): void {
    const { clockStep } = this.chaos();
    if (clockStep > 0 && this.world.chance(clockStep)) this.clockOffsetMs = someOffset(this.world);
  }

  private die(): void {
    this.life = "dead";
    this.resolveDeath();
  }

  /** The same object, each of whose methods takes time and may go wrong. */
  faulty<Port extends object>(port: Port): Port {
    return new Proxy(port, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => this.call(() => (value as (...args: unknown[]) => unknown).apply(target, args));
      },
    });
  }

  /** The same for a port whose answers are streams of pages: one call a page. */
  async *faultyPages<Page>(pages: AsyncIterable<Page>): AsyncGenerator<Page> {
    for await (const page of pages) yield await this.call(() => page);
  }

  private async call<Result>(run: () => Result | Promise<Result>): Promise<Result> {
    const { world } = this;
    const { refuse, loseAnswer, crash } = this.chaos();
    await world.wait(world.between(1, 20));
    if (this.isDead()) return forever();
    if (world.chance(crash)) return this.crash();
    if (world.chance(refuse)) throw new Error("ProvisionedThroughputExceededException");
    const result = await run();
    if (world.chance(crash)) return this.crash();
    await world.wait(world.between(1, 20));
    if (this.isDead()) return forever();
    if (world.chance(loseAnswer)) throw new Error("TimeoutError: the answer was lost");
    return result;
  }

  private crash(): Promise<never> {
    this.die();
    return forever();
  }
}
