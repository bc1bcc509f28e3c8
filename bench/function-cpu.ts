import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { type Engine, startEngine } from "../local/engine.js";
import { clientSettings } from "../local/engine-parts.js";
import { packageRoot } from "../local/paths.js";
import { httpApiEvent } from "../test/support/http-api-event.js";
import { relayClient } from "../test/support/relay.js";
import { startAnsweringProcess } from "./answering-process.js";
import { batchSize } from "./event-batches.js";
import { eventRecord, packedJson } from "./first-events.js";
import { type Benchmark, number, type Table, text } from "./report.js";
import { someJson } from "./some-json.js";
import { median, quantile } from "./stats.js";
import { inWarmProcess } from "./warm-process.js";

/** Invocations of each row; the first tenth of them warms up, and does not count. */
const invocations = { quick: 20, full: 300 };
const fewerOfLarge = 10;

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;
/** The most that the gateway hands over, and how long a destination keeps it in memory. */
const largestBody = 6 * megabyte;
const slowAnswerMs = 1_000;

/**
 * The deployed bundles, warm, with their SDK: what Lambda bills besides waiting (`cli/cost/assumptions.ts`), and the
 * memory that they need. AWS and the destination are in another process.
 */
export const functionCpu: Benchmark = {
  name: "function-cpu",
  async measure(size) {
    const dataDir = await mkdtemp(join(tmpdir(), "steadyhook-bench-"));
    const engine = await startEngine({ dataDir, seedDemo: true });
    const slow = await startAnsweringProcess(slowAnswerMs);
    try {
      await relayClient(engine.gatewayUrl).source({ sourceId: "slow" }, { url: slow.url });
      const many = invocations[size];
      const few = Math.ceil(many / fewerOfLarge);
      const rows = [
        await row(engine, "ingress", "1 KB", 1, requests(many, kilobyte)),
        await row(engine, "ingress", "1 MB", 1, requests(few, megabyte)),
        await row(engine, "delivery", "1 KB", batchSize, batches(engine, many, kilobyte)),
        await row(engine, "delivery", "1 MB", batchSize, batches(engine, few, megabyte)),
        await row(engine, "delivery", "6 MB, slow to be answered", batchSize, await largestBatches(engine, few)),
      ];
      return [tableOf(rows, many, few)];
    } finally {
      slow.close();
      await engine.close();
      await rm(dataDir, { recursive: true, force: true });
    }
  },
};

async function row(
  engine: Engine,
  name: string,
  body: string,
  events: number,
  invoked: readonly unknown[],
): Promise<Table["rows"][0]> {
  const file = join(packageRoot, `dist/functions/${name}/index.mjs`);
  const { cpuMs, peakMb } = await inWarmProcess(engine, name, file, invoked);
  const warm = cpuMs.slice(Math.ceil(cpuMs.length / 10)).map((ms) => ms / events);
  return [name, body, events, quantile(warm, 0.1), median(warm), peakMb];
}

function requests(count: number, bodyBytes: number): unknown[] {
  const body = someJson(bodyBytes);
  const headers = { "content-type": "application/json" };
  const request = httpApiEvent({ path: "/in/demo", headers, body, routeKey: "ANY /in/{sourceId}" });
  return Array.from({ length: count }, () => request);
}

function batches(engine: Engine, count: number, bodyBytes: number): unknown[] {
  const body = someJson(bodyBytes);
  const batch = () => ({ Records: Array.from({ length: batchSize }, () => eventRecord(engine, body)) });
  return Array.from({ length: count }, batch);
}

/** Ten events at a time with bodies as large as they come, not to be packed, hence in the bucket. */
async function largestBatches(engine: Engine, count: number): Promise<unknown[]> {
  const body = randomBytes(largestBody);
  const key = "bodies/bench";
  const s3 = new S3Client({ ...clientSettings(engine.awsUrl), forcePathStyle: true });
  await s3.send(new PutObjectCommand({ Bucket: engine.wiring.buckets[0], Key: key, Body: packedJson(body) }));
  s3.destroy();
  const batch = () => ({
    Records: Array.from({ length: batchSize }, () => eventRecord(engine, body, { sourceId: "slow", key })),
  });
  return Array.from({ length: count }, batch);
}

function tableOf(rows: Table["rows"], many: number, few: number): Table {
  return {
    caption: `${many} invocations of each, ${few} with large bodies. The tenth that was disturbed least, and the median.`,
    columns: [
      text("function"),
      text("body"),
      number("events at a time"),
      number("CPU ms per event, tenth", 2),
      number("median", 2),
      number("most memory, MB"),
    ],
    rows,
  };
}
