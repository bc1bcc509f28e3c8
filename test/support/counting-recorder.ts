import { dynamodb, kms, s3, scheduler } from "../../functions/adapters/aws/clients.js";
import { sqs } from "../../functions/adapters/aws/sqs-client.js";
import { HttpSender } from "../../functions/adapters/http/sender.js";
import type { OutboundRequest, SendResult } from "../../functions/app/ports.js";
import type { CallMeter, CallUnits } from "./counting-calls.js";
import { Rounds } from "./counting-rounds.js";

/** One call of AWS, with what it is billed. */
export interface CountedCall extends CallUnits {
  /** `DynamoDB`, `SQS`, `S3`, `KMS` or `Scheduler`. */
  readonly service: string;
  /** `UpdateItem` */
  readonly operation: string;
  /** Round trips up to the end of this one, itself included. */
  readonly round: number;
  /** Bytes of the request's body, without headers. */
  readonly sentBytes: number;
}

/** A request to a destination. */
export interface CountedSend {
  /** Round trips that were over when it began. */
  readonly afterRounds: number;
  /** Bytes of headers and body. */
  readonly sentBytes: number;
}

export interface Recording {
  readonly calls: readonly CountedCall[];
  readonly sends: readonly CountedSend[];
}

/** The middleware of any SDK client, as far as it is used here. */
interface Instrumentable {
  readonly middlewareStack: { add(middleware: Middleware, options: object): void };
}
type Middleware = (next: Handler, context: CallContext) => Handler;
type Handler = (args: { input: object; request?: { body?: unknown } }) => Promise<{ output: unknown }>;
interface CallContext {
  readonly clientName?: string;
  readonly commandName?: string;
}

/** A destination that took this long; evidence of the usual size, so that items have theirs. */
const evidence = {
  durationMs: 141,
  address: "203.0.113.10",
  timings: { dnsMs: 12, connectMs: 25, tlsMs: 48, firstByteMs: 140 },
} as const;

interface OpenRecording {
  readonly rounds: Rounds;
  readonly calls: CountedCall[];
  readonly sends: CountedSend[];
}

/**
 * Counts what the functions do through their own clients and their own sender while a recording is open. What a send
 * measured is replaced by fixed values, so that every run writes the same bytes.
 */
export class Recorder {
  #open: OpenRecording | null = null;
  readonly #sentBytes = new WeakMap<CallContext, number>();
  readonly #send = HttpSender.prototype.send;

  private constructor(private readonly meter: CallMeter) {}

  /** Hooks into the clients of this process: one recorder at a time. */
  static async install(meter: CallMeter): Promise<Recorder> {
    const recorder = new Recorder(meter);
    for (const client of [dynamodb(), sqs(), await scheduler(), await s3(), await kms()]) {
      const { middlewareStack } = client as unknown as Instrumentable;
      // Outermost: a call begins where the function makes it.
      middlewareStack.add(recorder.#counting, { step: "initialize", priority: "high", name: "countCalls" });
      middlewareStack.add(recorder.#weighing, { step: "finalizeRequest", priority: "low", name: "weighCalls" });
    }
    HttpSender.prototype.send = function send(request) {
      return recorder.#counted(request, () => recorder.#send.call(this, request));
    };
    return recorder;
  }

  uninstall(): void {
    HttpSender.prototype.send = this.#send;
  }

  /** Counts everything that happens until `work` is done. */
  async record(work: () => Promise<unknown>): Promise<Recording> {
    const open: OpenRecording = { rounds: new Rounds(), calls: [], sends: [] };
    this.#open = open;
    try {
      await work();
    } finally {
      this.#open = null;
    }
    return { calls: open.calls, sends: open.sends };
  }

  readonly #counting: Middleware = (next, context) => async (args) => {
    const open = this.#open;
    if (open === null) return next(args);
    const round = open.rounds.completed + 1;
    const operation = (context.commandName ?? "").replace(/Command$/, "");
    const service = (context.clientName ?? "").replace(/Client$/, "");
    const call = { operation, input: args.input, make: async () => (await next(args)).output };
    const { units, outcome } = await open.rounds.call(() => this.meter.measure(call));
    open.calls.push({ service, operation, round, sentBytes: this.#sentBytes.get(context) ?? 0, ...units });
    return { output: outcome() };
  };

  readonly #weighing: Middleware = (next, context) => (args) => {
    const bytes = Buffer.byteLength((args.request?.body ?? "") as string | Uint8Array);
    this.#sentBytes.set(context, bytes);
    return next(args);
  };

  async #counted(request: OutboundRequest, send: () => Promise<SendResult>): Promise<SendResult> {
    if (this.#open === null) return send();
    const headerBytes = request.headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
    this.#open.sends.push({
      afterRounds: this.#open.rounds.completed,
      sentBytes: headerBytes + request.body.length,
    });
    return { ...(await send()), ...evidence };
  }
}
