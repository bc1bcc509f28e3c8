import type { Scheduler } from "fast-check";
import type { DeliveryContext } from "../../functions/app/delivery/delivery-context.js";
import { invocationTime } from "../../functions/app/delivery/invocation-time.js";
import { processBatch } from "../../functions/app/delivery/process-batch.js";
import type { SendResult } from "../../functions/app/ports.js";
import { mortalContext } from "../support/mortal-context.js";
import { functionSeconds, type QueuedMessage, type RelayUnderTest } from "./relay-under-test.js";

/**
 * The same ports for functions that run at the same time: fast-check decides whose call has its effect next, and whose
 * answer is heard next.
 */
export function interleaved<Context extends object>(context: Context, scheduler: Scheduler): Context {
  const wrap = (port: object, name: string): object =>
    new Proxy(port, {
      get: (target, method) => {
        const value: unknown = Reflect.get(target, method);
        if (typeof value !== "function") return value;
        const label = `${name}.${String(method)}`;
        return async (...input: unknown[]) => {
          await scheduler.schedule(Promise.resolve(), `${label} arrives`);
          return scheduler.schedule(Promise.resolve(value.apply(target, input)), `${label} answers`);
        };
      },
    });
  const ports = Object.entries(context).filter(([name, part]) => typeof part === "object" && name !== "settings");
  return { ...context, ...Object.fromEntries(ports.map(([name, port]) => [name, wrap(port as object, name)])) };
}

/** What the destination saw of a race. */
export interface Seen {
  readonly requests: { readonly webhookId: string; readonly attempt: number; readonly statusCode: number }[];
  /** Requests that were out at the same time, at most. */
  mostAtOnce: number;
  /** Called with each request. */
  onRequest?: () => void;
}

/** A destination that answers in turn, as late as the scheduler likes. */
export function racingSender(
  seen: Seen,
  scheduler: Scheduler,
  answers: readonly number[],
  now: () => number,
): DeliveryContext["sender"] {
  let out = 0;
  return {
    async send({ headers }): Promise<SendResult> {
      const statusCode = answers[seen.requests.length % answers.length] ?? 200;
      const header = (wanted: string) => headers.find(([name]) => name === wanted)?.[1] ?? "";
      const attempt = Number(header("steadyhook-attempt"));
      seen.requests.push({ webhookId: header("webhook-id"), attempt, statusCode });
      seen.mostAtOnce = Math.max(seen.mostAtOnce, ++out);
      seen.onRequest?.();
      await scheduler.schedule(Promise.resolve(), "the destination answers");
      out--;
      const result = { statusCode, error: null, responseHeaders: [], startedAtMs: now(), durationMs: 0, timings: {} };
      return { ...result, preview: Buffer.alloc(0), previewCut: false };
    },
  };
}

/**
 * One invocation per message, all at the same time. What is acknowledged leaves the queue. `firstDiesAtCall`: the first
 * one's function dies after that call, counted from 1.
 */
export async function race(
  real: RelayUnderTest,
  context: DeliveryContext,
  messages: readonly QueuedMessage[],
  firstDiesAtCall: number | null = null,
): Promise<void> {
  const time = invocationTime(real.now, functionSeconds * 1000);
  const invocations = messages.map(async ({ id, body, receiveCount = 1, firstReceivedAtMs = 0 }, index) => {
    let calls = 0;
    const dies = index === 0 ? firstDiesAtCall : null;
    const mortal = mortalContext(context, () => (++calls === dies ? "dies after" : null));
    const record = { messageId: id, receiptHandle: id, receiveCount, firstReceivedAtMs, body };
    const failed = await Promise.race([processBatch(mortal.context, [record], time), mortal.death]);
    if (failed !== "dead" && failed.length === 0) real.messages = real.messages.filter((message) => message.id !== id);
  });
  await Promise.all(invocations);
}
