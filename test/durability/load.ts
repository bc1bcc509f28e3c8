import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

/** An event that the relay said it has. */
export interface AcceptedEvent {
  readonly eventId: string;
  readonly sourceId: string;
  /** Hex, of the body as it was posted. */
  readonly sha256: string;
}

/** Providers that post at the same time. */
const providers = 4;
/** How long a provider waits for a relay that does not answer before it posts again. */
const retryMs = 60;
/** What a stopped provider still gets an answer within: the relay is up again by then, or never. */
const patienceMs = 60_000;

/**
 * Providers that post events to sources, each under a key of its own, and post again, with the same key, what was not
 * answered with 202: as GitHub or Stripe would do with a relay that was killed in between.
 */
export class Load {
  readonly accepted: AcceptedEvent[] = [];
  /** Posts without a 202: some of them were accepted all the same, and only the answer was lost. */
  unanswered = 0;
  private stoppedAtMs: number | null = null;
  private posted = 0;
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly url: string,
    private readonly sourceIds: readonly string[],
    private readonly random: () => number,
    /** Between two posts of a provider. */
    private readonly longestPauseMs: number,
  ) {}

  start(): void {
    this.running = Promise.all(Array.from({ length: providers }, () => this.provide()));
  }

  /** Resolves when every event that was begun is accepted. */
  async stop(): Promise<void> {
    this.stoppedAtMs = Date.now();
    await this.running;
  }

  private async provide(): Promise<void> {
    while (this.stoppedAtMs === null) {
      const sourceId = this.sourceIds[Math.floor(this.random() * this.sourceIds.length)] ?? "";
      this.accepted.push(await this.postUntilAccepted(sourceId, this.body()));
      await pause(this.random() * this.longestPauseMs);
    }
  }

  private async postUntilAccepted(sourceId: string, body: Buffer): Promise<AcceptedEvent> {
    const key = `event-${++this.posted}`;
    const sha256 = createHash("sha256").update(body).digest("hex");
    for (;;) {
      const eventId = await this.post(sourceId, key, body);
      if (eventId !== undefined) return { eventId, sourceId, sha256 };
      this.unanswered++;
      if (this.stoppedAtMs !== null && Date.now() > this.stoppedAtMs + patienceMs) throw new Error("nobody answers");
      await pause(retryMs);
    }
  }

  private async post(sourceId: string, key: string, body: Buffer): Promise<string | undefined> {
    try {
      const headers = { "x-event-key": key, "content-type": "application/octet-stream" };
      const signal = AbortSignal.timeout(30_000);
      const response = await fetch(`${this.url}/in/${sourceId}`, { method: "POST", headers, body, signal });
      if (response.status !== 202) return undefined;
      return ((await response.json()) as { eventId: string }).eventId;
    } catch {
      // The relay is down, or went down before its answer was out.
      return undefined;
    }
  }

  /** Mostly small; some are too large for their item, a few for their message. Bytes that do not compress. */
  private body(): Buffer {
    const dice = this.random();
    const size = dice < 0.01 ? 900_000 : dice < 0.06 ? 20_000 : 20 + Math.floor(this.random() * 1_000);
    const body = Buffer.alloc(size);
    for (let at = 0; at < size; at += 4)
      body.writeUInt32LE(Math.floor(this.random() * 2 ** 32), Math.min(at, size - 4));
    return body;
  }
}
