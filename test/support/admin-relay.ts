import { randomBytes } from "node:crypto";
import { TableAuditTrail } from "../../functions/adapters/aws/audit-table.js";
import { TableSourceStore } from "../../functions/adapters/aws/config-sources.js";
import { TableSubscriptionStore } from "../../functions/adapters/aws/config-subscriptions.js";
import { DynamoDeliveryTable } from "../../functions/adapters/aws/delivery-table.js";
import { DynamoEventTable } from "../../functions/adapters/aws/event-table.js";
import { DynamoFaultTable } from "../../functions/adapters/aws/fault-table.js";
import { TableDeliveryCounts } from "../../functions/adapters/aws/listing-counts.js";
import { TableEventList } from "../../functions/adapters/aws/listing-events.js";
import { TableFaultList } from "../../functions/adapters/aws/listing-faults.js";
import { TableDeliveryIndex } from "../../functions/adapters/aws/listing-index.js";
import { TableQuarantinedEvents } from "../../functions/adapters/aws/quarantined-events.js";
import { DynamoReplayTable } from "../../functions/adapters/aws/replay-table.js";
import { Vault } from "../../functions/adapters/aws/vault.js";
import { route } from "../../functions/admin/router.js";
import type { AdminContext } from "../../functions/app/admin/context.js";
import type { ControlMessage, DeliveryMessage, EventMessage } from "../../functions/app/ports.js";
import { startTable, type TestTable } from "./dynalite.js";
import { httpApiEvent } from "./http-api-event.js";
import { memoryDataKeys } from "./memory-data-keys.js";
import { checkAnswer } from "./openapi-check.js";
import { snsCertificate } from "./sns-message.js";

/** What came back, with the body parsed when it is JSON. */
export interface AdminAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever shape it expects.
  readonly body: any;
  readonly bytes: Buffer;
}

export interface CallOptions {
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly userArn?: string;
  /** Sent instead of the JSON of the body. */
  readonly raw?: string | Buffer;
}

export interface SentBack {
  readonly queue: string;
  readonly body: string;
}

/** The admin API over a real table; time stands still until the test moves it. */
export interface AdminRelay {
  readonly table: TestTable;
  readonly context: AdminContext;
  readonly clock: { nowMs: number };
  readonly contents: Map<string, Buffer>;
  /** What was sent to the control queue. */
  readonly ticks: ControlMessage[];
  /** Messages of deliveries. */
  readonly sent: DeliveryMessage[];
  /** What was sent back from the faults. */
  readonly sentBack: SentBack[];
  /** What was sent to the delivery queue as an event. */
  readonly sentEvents: EventMessage[];
  /** By which the table's secrets are sealed. */
  readonly vault: Vault;
  readonly lines: { readonly level: string; readonly message: string; readonly fields: object | undefined }[];
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<AdminAnswer>;
  close(): Promise<void>;
}

export async function startAdminRelay(overrides: Partial<AdminContext> = {}): Promise<AdminRelay> {
  const table = await startTable();
  const clock = { nowMs: Date.UTC(2026, 0, 31, 12) };
  const contents = new Map<string, Buffer>();
  const ticks: ControlMessage[] = [];
  const sent: DeliveryMessage[] = [];
  const sentBack: SentBack[] = [];
  const sentEvents: EventMessage[] = [];
  const vault = new Vault(memoryDataKeys());
  const lines: AdminRelay["lines"] = [];
  const context = {
    ...buildContext(table, () => clock.nowMs, { contents, ticks, sent, sentBack, sentEvents, vault }),
    ...overrides,
  };
  return {
    table,
    context,
    clock,
    contents,
    ticks,
    sent,
    sentBack,
    sentEvents,
    vault,
    lines,
    async call(method, path, body, options = {}) {
      const event = httpApiEvent({
        method,
        path,
        headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...options.headers },
        ...(options.query === undefined ? {} : { query: options.query }),
        ...(options.userArn === undefined ? {} : { userArn: options.userArn }),
        ...bodyOf(body, options.raw),
      });
      const log = (level: string, message: string, fields?: object) => void lines.push({ level, message, fields });
      const answer = await route(context, log, event);
      const bytes = Buffer.from(answer.body, answer.isBase64Encoded === true ? "base64" : "utf8");
      const isJson = /json/.test(String(answer.headers["content-type"]));
      const parsed = isJson ? JSON.parse(answer.body) : null;
      checkAnswer(method, path, { status: answer.statusCode, headers: answer.headers, body: parsed });
      return { status: answer.statusCode, headers: answer.headers, body: parsed, bytes };
    },
    close: () => table.close(),
  };
}

function bodyOf(body: unknown, raw: string | Buffer | undefined): { body?: string | Buffer } {
  if (raw !== undefined) return { body: raw };
  return body === undefined ? {} : { body: JSON.stringify(body) };
}

const depth = { visible: 1, delayed: 2, inFlight: 3 };

type Memory = Pick<AdminRelay, "contents" | "ticks" | "sent" | "sentBack" | "sentEvents" | "vault">;

function buildContext(
  test: TestTable,
  now: () => number,
  { contents, ticks, sent, sentBack, sentEvents, vault }: Memory,
): AdminContext {
  const table = { client: () => test.client, tableName: test.tableName, vault, now };
  const retentionDays = 30;
  const store: AdminContext["contents"] = {
    put: async (key, packed) => void contents.set(key, packed),
    get: async (key) => {
      const packed = contents.get(key);
      if (packed !== undefined) return packed;
      throw Object.assign(new Error(`no ${key}`), { name: "ContentMissingError" });
    },
  };
  return {
    sources: new TableSourceStore(table),
    subscriptions: new TableSubscriptionStore(table, retentionDays),
    deliveries: new DynamoDeliveryTable(table, { now, retentionDays }),
    deliveryIndex: new TableDeliveryIndex(table),
    deliveryCounts: new TableDeliveryCounts(table),
    events: new DynamoEventTable(table, { now, retentionDays }),
    eventList: new TableEventList(table, now),
    quarantine: new TableQuarantinedEvents(table),
    eventQueue: { sendEvent: async (message) => void sentEvents.push(message) },
    sns: async () => ({ certificate: async () => snsCertificate, confirm: async () => {} }),
    history: { sums: async () => null },
    queues: {
      depths: async () => ({ delivery: depth, slowLane: depth, control: depth, deadLetter: depth, fault: depth }),
    },
    contents: store,
    contentErasure: {
      eraseContents: async (eventId) => {
        for (const key of contents.keys()) if (key.startsWith(`bodies/${eventId}/`)) contents.delete(key);
      },
    },
    replays: new DynamoReplayTable(table),
    audit: new TableAuditTrail(table, now),
    queue: { sendDeliveries: async (messages) => void sent.push(...messages), returnAfter: async () => {} },
    faults: new DynamoFaultTable(table, store, retentionDays),
    faultList: new TableFaultList(table),
    sendBack: async (queue, body) => void sentBack.push({ queue, body }),
    control: { sendTick: async (message) => void ticks.push(message) },
    downloads: { offer: async ({ eventId }, body) => `https://bucket.example/${eventId}?bytes=${body.length}` },
    now,
    entropy: randomBytes,
    retentionDays,
    defaults: { policyPreset: "default", connectSeconds: 15, readSeconds: 60 },
    deliveryTimeoutSeconds: 90,
    allowLoopback: false,
    privateCidrs: [],
  };
}
