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
  /** When its connection was over, by its answer or by the end of the function; undefined while it is open. */
  endedAtMs: number | undefined;
}

/** What a destination does for a while. */
type Behaviour =
  | { readonly kind: "up"; readonly latencyMs: number }
  | { readonly kind: "failing"; readonly status: number; readonly retryAfterSeconds?: number }
  | { readonly kind: "resetting" }
  | { readonly kind: "hanging" };

interface Phase {
  readonly untilMs: number;
  readonly behaviour: Behaviour;
}

/** Destinations that fail for minutes to hours and recover; all are up from `healthyFromMs` on. */
export class Destinations {
  readonly seen: SeenRequest[] = [];
  private readonly phases = new Map<string, Phase[]>();

  constructor(
    private readonly world: World,
    private readonly healthyFromMs: number,
  ) {}

  /** A sender within one environment. */
  senderOf(environment: Environment): Sender {
    return { send: (request) => this.send(environment, request) };
  }

  private async send(environment: Environment, request: OutboundRequest): Promise<SendResult> {
    const startedAtMs = environment.now();
    await this.world.wait(this.world.between(1, 50));
    if (environment.isDead()) return forever();
    const seen = this.see(request);
    const { answer, afterMs } = this.answer(seen.host, request.deadlineMs - environment.clockOffsetMs);
    // The connection ends with its answer, or with the function that holds it.
    await Promise.race([this.world.wait(afterMs), environment.death]);
    seen.endedAtMs = this.world.now();
    if (environment.isDead()) return forever();
    return { ...answer, startedAtMs, durationMs: environment.now() - startedAtMs };
  }

  private see(request: OutboundRequest): SeenRequest {
    const header = (name: string) => request.headers.find(([key]) => key === name)?.[1] ?? "";
    const seen: SeenRequest = {
      host: new URL(request.url).host,
      webhookId: header("webhook-id"),
      attempt: Number(header("steadyhook-attempt")),
      bodyText: request.body.toString(),
      startedAtMs: this.world.now(),
      endedAtMs: undefined,
    };
    this.seen.push(seen);
    return seen;
  }

  private answer(host: string, deadlineMs: number) {
    const behaviour = this.behaviourOf(host);
    const base = { error: null, responseHeaders: [], timings: {}, preview: Buffer.alloc(0), previewCut: false };
    const patienceMs = Math.max(0, deadlineMs - this.world.now());
    switch (behaviour.kind) {
      case "up":
        return { answer: { ...base, statusCode: 200 }, afterMs: Math.min(behaviour.latencyMs, patienceMs) };
      case "failing": {
        const { status: statusCode, retryAfterSeconds } = behaviour;
        const responseHeaders =
          retryAfterSeconds === undefined ? [] : ([["retry-after", String(retryAfterSeconds)]] as const);
        return { answer: { ...base, statusCode, responseHeaders }, afterMs: Math.min(30, patienceMs) };
      }
      case "resetting":
        return { answer: { ...base, statusCode: null, error: "reset" as const }, afterMs: Math.min(5, patienceMs) };
      case "hanging":
        return { answer: { ...base, statusCode: null, error: "deadline" as const }, afterMs: patienceMs };
    }
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
    if (world.chance(0.5)) return { kind: "up", latencyMs: 50 };
    if (world.chance(0.2)) return { kind: "hanging" };
    if (world.chance(0.2)) return { kind: "resetting" };
    const status = world.pick([500, 502, 503, 429, 422, 404, 410]);
    return world.chance(0.4)
      ? { kind: "failing", status, retryAfterSeconds: world.between(1, 900) }
      : { kind: "failing", status };
  }
}
