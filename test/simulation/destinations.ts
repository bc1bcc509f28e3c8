import type { OutboundRequest, Sender, SendResult } from "../../functions/app/ports.js";
import { type Environment, forever } from "./function-host.js";
import type { World } from "./world.js";

/** One request as a destination saw it. */
export interface SeenRequest {
  readonly host: string;
  readonly webhookId: string;
  readonly attempt: number;
  readonly bodyText: string;
  readonly startedAtMs: number;
  /** What it was answered: a status, or an error of the connection. */
  readonly answer: string;
  readonly retryAfterSeconds: number | undefined;
  /** When its connection was over, by its answer or by the end of the function; undefined while it is open. */
  endedAtMs: number | undefined;
}

/** What a destination does for a while. */
type Behaviour =
  | { readonly kind: "up"; readonly latencyMs: number }
  | { readonly kind: "failing"; readonly status: number; readonly retryAfterSeconds?: number }
  | { readonly kind: "breaking"; readonly error: "refused" | "reset" }
  /** Takes so many a second, and refuses what is above it. */
  | {
      readonly kind: "limited";
      readonly perSecond: number;
      readonly status: number;
      readonly retryAfterSeconds?: number;
    }
  /** Fails now and then. */
  | { readonly kind: "flaky"; readonly share: number }
  | { readonly kind: "hanging" };

interface Phase {
  readonly untilMs: number;
  readonly behaviour: Behaviour;
}

/** Destinations that fail for minutes to hours and recover; all are up from `healthyFromMs` on. */
export class Destinations {
  readonly seen: SeenRequest[] = [];
  /** Requests taken by limited destinations, by host and second. */
  private readonly taken = new Map<string, number>();
  private readonly phases = new Map<string, Phase[]>();

  constructor(
    private readonly world: World,
    private readonly healthyFromMs: number,
    private readonly mayHang: boolean,
  ) {}

  /** A sender within one environment. */
  senderOf(environment: Environment): Sender {
    return { send: (request) => this.send(environment, request) };
  }

  private async send(environment: Environment, request: OutboundRequest): Promise<SendResult> {
    const startedAtMs = environment.now();
    await this.world.wait(this.world.between(1, 50));
    if (environment.isDead()) return forever();
    const { answer, afterMs } = this.answer(hostOf(request), request.deadlineMs - environment.clockOffsetMs);
    const seen = this.see(request, answer);
    // The connection ends with its answer, or with the function that holds it.
    await Promise.race([this.world.wait(afterMs), environment.death]);
    seen.endedAtMs = this.world.now();
    if (environment.isDead()) return forever();
    return { ...answer, startedAtMs, durationMs: environment.now() - startedAtMs };
  }

  private see(request: OutboundRequest, { statusCode, error, responseHeaders }: Answer): SeenRequest {
    const header = (name: string) => request.headers.find(([key]) => key === name)?.[1] ?? "";
    const retryAfter = responseHeaders[0]?.[1];
    const seen: SeenRequest = {
      host: hostOf(request),
      webhookId: header("webhook-id"),
      attempt: Number(header("steadyhook-attempt")),
      bodyText: request.body.toString(),
      startedAtMs: this.world.now(),
      answer: String(statusCode ?? error),
      retryAfterSeconds: retryAfter === undefined ? undefined : Number(retryAfter),
      endedAtMs: undefined,
    };
    this.seen.push(seen);
    return seen;
  }

  private answer(host: string, deadlineMs: number): { readonly answer: Answer; readonly afterMs: number } {
    const behaviour = this.behaviourOf(host);
    const patienceMs = Math.max(0, deadlineMs - this.world.now());
    const soon = (afterMs: number, answer: Answer) => ({ answer, afterMs: Math.min(afterMs, patienceMs) });
    switch (behaviour.kind) {
      case "up":
        return soon(behaviour.latencyMs, answered(200));
      case "failing":
        return soon(30, answered(behaviour.status, behaviour.retryAfterSeconds));
      case "limited":
        return soon(
          30,
          this.isTaken(host, behaviour.perSecond)
            ? answered(200)
            : answered(behaviour.status, behaviour.retryAfterSeconds),
        );
      case "flaky":
        return soon(30, answered(this.world.chance(behaviour.share) ? 503 : 200));
      case "breaking":
        return soon(5, broken(behaviour.error));
      case "hanging":
        return { answer: broken("deadline"), afterMs: patienceMs };
    }
  }

  private isTaken(host: string, perSecond: number): boolean {
    const second = `${host} ${Math.floor(this.world.now() / 1000)}`;
    const taken = (this.taken.get(second) ?? 0) + 1;
    this.taken.set(second, taken);
    return taken <= perSecond;
  }

  private behaviourOf(host: string): Behaviour {
    const nowMs = this.world.now();
    if (nowMs >= this.healthyFromMs) return { kind: "up", latencyMs: this.world.between(5, 400) };
    const phases = this.phases.get(host) ?? [];
    this.phases.set(host, phases);
    const current = phases.at(-1);
    if (current !== undefined && current.untilMs > nowMs) return this.jittered(current.behaviour);
    const lasting = this.world.between(60, 3 * 3600) * 1000;
    phases.push({ untilMs: nowMs + lasting, behaviour: this.someBehaviour() });
    return this.behaviourOf(host);
  }

  private jittered(behaviour: Behaviour): Behaviour {
    return behaviour.kind === "up" ? { kind: "up", latencyMs: this.world.between(5, 2_000) } : behaviour;
  }

  private someBehaviour(): Behaviour {
    const { world } = this;
    if (world.chance(0.4)) return { kind: "up", latencyMs: 50 };
    if (this.mayHang && world.chance(0.15)) return { kind: "hanging" };
    if (world.chance(0.2)) return { kind: "breaking", error: world.pick(["refused", "reset"]) };
    if (world.chance(0.1)) return { kind: "flaky", share: world.pick([0.1, 0.5]) };
    const retryAfter = world.chance(0.4) ? { retryAfterSeconds: world.between(1, 900) } : {};
    if (world.chance(0.2)) {
      return { kind: "limited", perSecond: world.pick([1, 5]), status: world.pick([429, 503]), ...retryAfter };
    }
    return { kind: "failing", status: world.pick([500, 502, 503, 429, 422, 404, 410]), ...retryAfter };
  }
}

type Answer = Omit<SendResult, "startedAtMs" | "durationMs">;

const nothing = { error: null, responseHeaders: [], timings: {}, preview: Buffer.alloc(0), previewCut: false };

function answered(statusCode: number, retryAfterSeconds?: number): Answer {
  if (retryAfterSeconds === undefined) return { ...nothing, statusCode };
  return { ...nothing, statusCode, responseHeaders: [["retry-after", String(retryAfterSeconds)]] };
}

const broken = (error: NonNullable<SendResult["error"]>): Answer => ({ ...nothing, statusCode: null, error });

const hostOf = ({ url }: OutboundRequest): string => new URL(url).host;
