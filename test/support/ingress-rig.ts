import { decodeMessage, encodeMessage } from "../../functions/app/messages.js";
import type { EventMessage, OpenSource, UnverifiedRequest } from "../../functions/app/ports.js";
import { unpackContent } from "../../functions/core/content.js";
import type { EventContent, EventMeta } from "../../functions/core/model.js";
import type { HttpAnswer } from "../../functions/ingress/answers.js";
import { buildIngress } from "../../functions/ingress/ingress.js";
import { memoryMetrics } from "./memory-metrics.js";
import { snsCertificate, snsCertificateUrl } from "./sns-message.js";

export const githubSecret = "It's a Secret to Everybody";

export function anOpenSource(overrides: Partial<OpenSource> = {}): OpenSource {
  return {
    sourceId: "src",
    description: null,
    verification: null,
    handshake: null,
    answer: "event-id",
    dedupe: null,
    eventType: null,
    secrets: [],
    secretValues: [],
    verifyToken: null,
    version: 1,
    managedBy: null,
    createdAtMs: 0,
    updatedAtMs: 0,
    ...overrides,
  };
}

/** A source that verifies as GitHub signs, with the secret of GitHub's own example. */
export const aGithubSource = (overrides: Partial<OpenSource> = {}): OpenSource =>
  anOpenSource({
    verification: { scheme: "github", onFailure: "reject" },
    secrets: [{ id: "sec_1", createdAtMs: 0 }],
    secretValues: [{ id: "sec_1", value: githubSecret }],
    ...overrides,
  });

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

type Part = "sources" | "queue" | "bucket" | "sns" | "table";

/** The ingress function over memory. A message crosses the queue as text, as it does on AWS. */
export function ingressRig(...sources: readonly OpenSource[]) {
  const queue: string[] = [];
  const bucket = new Map<string, Buffer>();
  const logged: LogLine[] = [];
  const failing = new Set<Part>();
  const sns: string[] = [];
  const quarantined: UnverifiedRequest[] = [];
  let unverified = 0;
  const metrics = memoryMetrics();
  let eventsMade = 0;
  const nowMs = Date.UTC(2026, 0, 1);
  let clockMs = nowMs;

  const attempt = (part: Part) => {
    if (failing.has(part)) throw new Error(`${part} is down`);
  };

  const ingress = buildIngress({
    sources: {
      async find(sourceId) {
        attempt("sources");
        return sources.find((source) => source.sourceId === sourceId) ?? null;
      },
    },
    queue: {
      async sendEvent(message) {
        attempt("queue");
        queue.push(encodeMessage(message));
      },
    },
    contents: {
      async put(key, packed) {
        attempt("bucket");
        bucket.set(key, packed);
      },
      async get() {
        throw new Error("ingress reads no content");
      },
    },
    sns: async () => ({
      async certificate(url) {
        attempt("sns");
        sns.push(url);
        return url === snsCertificateUrl ? snsCertificate : null;
      },
      async confirm(url) {
        attempt("sns");
        sns.push(url);
      },
    }),
    quarantine: async () => ({
      async countUnverified() {
        attempt("table");
        unverified += 1;
        return unverified;
      },
      async keep(request) {
        attempt("table");
        quarantined.push(request);
      },
    }),
    clock: () => clockMs,
    entropy: () => {
      eventsMade += 1;
      return Buffer.alloc(16, eventsMade);
    },
    log: (level, message, fields = {}) => {
      logged.push({ level, message, fields });
    },
    metrics,
  });

  return {
    /** When the rig's time begins. */
    nowMs,
    setTime(epochMs: number): void {
      clockMs = epochMs;
    },
    /** Texts on the queue. */
    queue,
    bucket,
    /** URLs that SNS was asked for. */
    sns,
    quarantined,
    logged,
    metrics,
    /** Parts of AWS that answer with an error from now on. */
    failing,
    async receive(event: unknown): Promise<HttpAnswer & { readonly json: Record<string, unknown> }> {
      const answer = await ingress(event);
      const isJson = /json/.test(String(answer.headers["content-type"]));
      return { ...answer, json: isJson ? JSON.parse(answer.body) : {} };
    },
    /** What the delivery function would find, in the order accepted. */
    accepted(): { readonly event: EventMeta; readonly content: EventContent }[] {
      return queue.map((text) => {
        const message = decodeMessage(text) as EventMessage;
        const packed = message.content.at === "inline" ? message.content.packed : bucket.get(message.content.key);
        return { event: message.event, content: unpackContent(packed as Buffer) };
      });
    },
  };
}
