/** What no counter knows: times and sizes that depend on AWS, on destinations, or on the machine. */
export interface Assumptions {
  /** Messages per invocation of the delivery function, 1 to 10: full batches come with traffic. */
  readonly batchSize: number;
  /** Of a destination, from the start of a request to the end of its answer. The sends of a batch wait together. */
  readonly latencyMs: number;
  /** Of a call of AWS within the region. */
  readonly roundTripMs: number;
  /** As lib/relay-function.ts sets it, and lib/delivery.ts for the delivery function. */
  readonly memoryMb: number;
  readonly deliveryMemoryMb: number;
  /** Time of one whole CPU per accepted event, per attempt, and per other invocation, for small bodies. */
  readonly acceptCpuMs: number;
  readonly attemptCpuMs: number;
  readonly otherCpuMs: number;
  /** What each MB of body adds to the first two: verifying, packing, hashing, sending. */
  readonly cpuMsPerMb: number;
  /** How long deliveries are kept. */
  readonly retentionDays: number;
}

/**
 * CPU: `npm run bench -- function-cpu`, the deployed bundles, warm, on Node 20 and one x64 core that others used too. Of
 * 300 invocations the tenth that was disturbed least took up to 1.2 ms an accepted event, as much an attempt, with bodies of
 * 1 KB, and up to 11 ms more with bodies of 1 MB. The rest are round numbers.
 */
export const defaults: Assumptions = {
  batchSize: 10,
  latencyMs: 200,
  roundTripMs: 5,
  memoryMb: 512,
  deliveryMemoryMb: 384,
  acceptCpuMs: 1.2,
  attemptCpuMs: 1.2,
  otherCpuMs: 3,
  cpuMsPerMb: 11,
  retentionDays: 30,
};

/** Memory that comes with one whole CPU (AWS Lambda developer guide, "Configure Lambda function memory"). */
export const cpuMemoryMb = 1_769;

/** GB-seconds of an invocation that waits and computes: below one CPU, less memory makes computing as much slower as it is cheaper. */
export const gbSeconds = (waitMs: number, cpuMs: number, memoryMb: number): number =>
  (waitMs * memoryMb + cpuMs * Math.max(memoryMb, cpuMemoryMb)) / 1_024 / 1_000;

/** Bytes of one log line that CloudWatch bills besides its text. */
const lineOverhead = 26;

/** Bytes of log lines: held to by test/shared/log-bytes.test.ts, except for Lambda's and the gateway's own. */
export const logBytes = {
  accepted: 213 + lineOverhead,
  attempt: 509 + lineOverhead,
  batch: 441 + lineOverhead,
  /** START, END and REPORT of each invocation. */
  platform: 330 + 3 * lineOverhead,
  /** One line of the API's access log. */
  access: 330 + lineOverhead,
};

export const bytesPerGb = 1_024 ** 3;
