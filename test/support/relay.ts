import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gateMaxAgeMs } from "../../functions/adapters/aws/gates.js";
import { type Engine, type EngineOptions, startEngine } from "../../local/engine.js";

/** A relay of its own for a test: the deployed bundles behind real sockets, its data in a temporary folder. */
export interface TestRelay {
  readonly engine: Engine;
  /** Function log lines so far, parsed. */
  readonly lines: readonly Record<string, unknown>[];
  post(path: string, body?: string | Buffer, headers?: Record<string, string>): Promise<Response>;
  /** A call of the admin API; rejects with status and text when the answer is no 2xx. */
  admin<Answer>(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Creates a source and its subscriptions. */
  source(source: SourceInput, ...subscriptions: SubscriptionInput[]): Promise<SubscriptionView[]>;
  /** The deliveries of an event, once every one of them satisfies the condition. */
  deliveries(eventId: string, until: (delivery: DeliveryView) => boolean): Promise<DeliveryView[]>;
  close(): Promise<void>;
}

export type SourceInput = { readonly sourceId: string } & Record<string, unknown>;
export type SubscriptionInput = { readonly url: string } & Record<string, unknown>;
export type SubscriptionView = { readonly subscriptionId: string; readonly url: string } & Record<string, unknown>;

export interface AttemptView {
  readonly number: number;
  readonly startedAt: string;
  readonly delaySeconds: number;
  readonly outcome: string;
  readonly statusCode: number | null;
  readonly error: string | null;
}

export interface DeliveryView {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly subscriptionId: string;
  readonly status: string;
  readonly attempts: readonly AttemptView[];
  readonly nextAttemptAt: string | null;
  readonly deadLetterReason: string | null;
}

export const isFinal = (delivery: DeliveryView): boolean =>
  delivery.status === "delivered" || delivery.status === "dead_lettered";

/** Starts a relay; `close` ends it and removes its data. */
export async function startRelay(options: Partial<EngineOptions> = {}): Promise<TestRelay> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "steadyhook-test-")));
  const lines: Record<string, unknown>[] = [];
  const onFunctionLine = (_label: string, line: string) => {
    if (line.startsWith("{")) lines.push(JSON.parse(line) as Record<string, unknown>);
  };
  const engine = await startEngine({ onFunctionLine, ...options, dataDir });
  const client = relayClient(engine.gatewayUrl);
  return {
    engine,
    lines,
    ...client,
    async close() {
      await engine.close();
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Calls of a relay that runs somewhere. */
export function relayClient(url: string): Pick<TestRelay, "post" | "admin" | "source" | "deliveries"> {
  async function admin<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const json = { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
    const init = body === undefined ? { method } : { method, headers: json, body: JSON.stringify(body) };
    const response = await fetch(url + path, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === "" ? undefined : JSON.parse(text)) as Answer;
  }
  return {
    admin,
    post: (path, body, headers = {}) =>
      fetch(url + path, { method: "POST", headers, ...(body === undefined ? {} : { body }) }),
    async source(source, ...subscriptions) {
      await admin("POST", "/admin/sources", source);
      const path = `/admin/sources/${source.sourceId}/subscriptions`;
      const made: SubscriptionView[] = [];
      for (const each of subscriptions) made.push(await admin<SubscriptionView>("POST", path, each));
      return made;
    },
    deliveries: (eventId, until) =>
      eventually(async () => {
        const response = await fetch(`${url}/admin/events/${eventId}`);
        if (!response.ok) return undefined;
        const { deliveries } = (await response.json()) as { deliveries: DeliveryView[] };
        return deliveries.length > 0 && deliveries.every(until) ? deliveries : undefined;
      }),
  };
}

/**
 * Resolves once a gate that was changed before the call is known to every worker: each may go on, and start attempts,
 * by what it read of the gate just before the change.
 */
export async function gateChangeKnown(): Promise<void> {
  const knownAtMs = Date.now() + gateMaxAgeMs;
  await eventually(async () => (Date.now() > knownAtMs ? true : undefined));
}

/** Asks again and again until there is an answer; fails with what was asked for when a minute has passed. */
export async function eventually<Value>(ask: () => Promise<Value | undefined>, withinMs = 60_000): Promise<Value> {
  const endMs = Date.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > endMs) throw new Error(`not within ${withinMs} ms: ${ask.toString().slice(0, 300)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
