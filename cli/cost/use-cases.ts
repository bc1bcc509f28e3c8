import { type Assumptions, bytesPerGb, gbSeconds, logBytes } from "./assumptions.js";
import { type EventSize, queueRequests, type StepName, stepOf } from "./counted.js";
import { sum, times, type Usage } from "./usage.js";

/** What one of something takes. All counts are those of counted.json. */

const megabyte = 1_024 ** 2;

/** Log lines, kept for a month: what is kept is compressed, to 0.15 of it in AWS's own examples. */
export const logged = (bytes: number): Usage => ({
  "logs.ingested": bytes / bytesPerGb,
  "logs.storage": (bytes * 0.15) / bytesPerGb,
});

/** A request that ingress accepts. */
export function accepted(size: EventSize, assumed: Assumptions): Usage {
  const requests = queueRequests(size.messageBytes);
  const cpuMs = assumed.acceptCpuMs + (assumed.cpuMsPerMb * size.bodyBytes) / megabyte;
  const waitMs = (stepOf("accepted").roundTrips + (size.byBucket ? 1 : 0)) * assumed.roundTripMs;
  return sum(logged(logBytes.accepted + logBytes.platform + logBytes.access), {
    "apiGateway.requests": size.gatewayRequests,
    "lambda.requests": 1,
    "lambda.gbSeconds": gbSeconds(waitMs, cpuMs, assumed.memoryMb),
    "sqs.requests": requests,
    "sqs.fairRequests": requests,
    ...(size.byBucket ? { "s3.puts": 1 } : {}),
  });
}

/** What is counted of a step, without the function's time. */
function counted(name: StepName): Usage {
  const { writeUnits, readUnits, queueRequests: sent, schedules, keyRequests } = stepOf(name);
  return {
    "dynamodb.writeUnits": writeUnits,
    "dynamodb.readUnits": readUnits,
    "sqs.requests": sent,
    "sqs.fairRequests": sent,
    "scheduler.invocations": schedules,
    "kms.requests": keyRequests,
  };
}

/**
 * One message's share of an invocation of the delivery function: receive and delete, the function's time, its lines. The
 * work before the requests keeps the last one waiting, that after an answer is done while the others are waited for: so
 * half of the batch's CPU time is on top of what is waited, and half of one attempt's.
 */
function invoked(
  roundTrips: number,
  sends: boolean,
  messageBytes: number,
  bodyBytes: number,
  assumed: Assumptions,
): Usage {
  const { batchSize } = assumed;
  const cpuMs = assumed.attemptCpuMs + (assumed.cpuMsPerMb * bodyBytes) / megabyte;
  const waitMs = roundTrips * assumed.roundTripMs + (sends ? assumed.latencyMs : 0);
  const polls = (queueRequests(messageBytes * batchSize) + 1) / batchSize;
  const lines = sends ? logBytes.attempt : 0;
  return sum(logged(lines + (logBytes.batch + logBytes.platform) / batchSize), {
    "lambda.requests": 1 / batchSize,
    "lambda.gbSeconds": gbSeconds(waitMs, (cpuMs * (batchSize + 1)) / 2, assumed.deliveryMemoryMb) / batchSize,
    "sqs.requests": polls,
    "sqs.fairRequests": polls,
  });
}

/** What a request has besides the body. */
const sentOverheadBytes = stepOf("delivered1k").sentBytes - 1_024;

const sent = ({ bodyBytes }: EventSize): Usage => ({ "transfer.out": (bodyBytes + sentOverheadBytes) / bytesPerGb });

/** A message that holds ids: of a delivery whose event is stored. */
const idsBytes = 512;

/** A first attempt with the event in the message: the event is stored beside it. `step` says how it ends. */
function firstAttempt(step: "delivered" | "failed" | "parkedOpen", size: EventSize, assumed: Assumptions): Usage {
  const { roundTrips, attempts } = stepOf(step);
  const sends = attempts > 0;
  return sum(
    counted(step),
    { "dynamodb.writeUnits": size.eventWriteUnits - 1 },
    size.inBucket && !size.byBucket ? { "s3.puts": 1 } : {},
    size.byBucket && sends ? { "s3.gets": 1 } : {},
    invoked(roundTrips, sends, size.messageBytes, size.bodyBytes, assumed),
    sends ? sent(size) : {},
  );
}

/** An attempt of a delivery whose event is stored: it is read. */
function laterAttempt(step: StepName, size: EventSize, assumed: Assumptions): Usage {
  return sum(
    counted(step),
    { "dynamodb.readUnits": size.eventReadUnits - 0.5 },
    size.inBucket ? { "s3.gets": 1 } : {},
    invoked(stepOf(step).roundTrips, true, idsBytes, size.bodyBytes, assumed),
    sent(size),
  );
}

export const deliveredFirst = (size: EventSize, assumed: Assumptions): Usage =>
  firstAttempt("delivered", size, assumed);
export const failedFirst = (size: EventSize, assumed: Assumptions): Usage => firstAttempt("failed", size, assumed);
export const retrySucceeded = (size: EventSize, assumed: Assumptions): Usage => laterAttempt("retried", size, assumed);
export const lastFailed = (size: EventSize, assumed: Assumptions): Usage => laterAttempt("deadLettered", size, assumed);

/** A retry that fails: the next one is due within a quarter of an hour, so a message waits for it, and no schedule. */
export const retryFailed = (size: EventSize, assumed: Assumptions): Usage =>
  sum(laterAttempt("failedAgain", size, assumed), {
    "scheduler.invocations": -stepOf("failedAgain").schedules,
    "sqs.requests": 1,
    "sqs.fairRequests": 1,
  });

/** Attempts of the default policy. */
export const mostAttempts = 5;

/** All attempts of a delivery that fails for good. */
export const exhausted = (size: EventSize, assumed: Assumptions): Usage =>
  sum(failedFirst(size, assumed), times(retryFailed(size, assumed), mostAttempts - 2), lastFailed(size, assumed));

/** Deliveries that one tick releases at least; it may be many more. */
const releasedPerTick = 10;

/** A tick: the sweeper function takes them one by one. */
const ticked = (step: StepName, assumed: Assumptions): Usage =>
  sum(counted(step), logged(logBytes.batch + logBytes.platform), {
    "lambda.requests": 1,
    "lambda.gbSeconds": gbSeconds(stepOf(step).roundTrips * assumed.roundTripMs, assumed.otherCpuMs, assumed.memoryMb),
    "sqs.requests": 2,
  });

/** A delivery that is parked, for however long, and then released. */
export const parked = (
  size: EventSize,
  assumed: Assumptions,
  first = firstAttempt("parkedOpen", size, assumed),
): Usage =>
  sum(first, times(ticked("released", assumed), 1 / releasedPerTick), laterAttempt("deliveredParked", size, assumed));

/** A probe of a circuit that stays open: a tick, and an attempt that fails. */
export const probed = (size: EventSize, assumed: Assumptions): Usage =>
  sum(ticked("probed", assumed), laterAttempt("probeFailed", size, { ...assumed, batchSize: 1 }));

/** Probes of one outage: twenty in the first five minutes, then four an hour (docs/costs-counted.md). */
export const probesOf = (outageHours: number): number => (outageHours > 0 ? 20 + 4 * outageHours : 0);

/** An event for several: stored first, then one message for each. */
export function fannedOut(subscriptions: number, size: EventSize, assumed: Assumptions): Usage {
  const batches = Math.ceil(subscriptions / 10);
  return sum(
    counted("fannedOut"),
    { "dynamodb.writeUnits": size.eventWriteUnits - 1 },
    { "sqs.requests": batches - 1, "sqs.fairRequests": batches - 1 },
    size.inBucket && !size.byBucket ? { "s3.puts": 1 } : {},
    invoked(stepOf("fannedOut").roundTrips, false, size.messageBytes, size.bodyBytes, assumed),
  );
}

/** The first attempt at one of several: its event is stored, and read once for a batch. `step` says how it ends. */
export function attemptOfMany(
  step: "delivered" | "failed" | "parkedOpen",
  size: EventSize,
  assumed: Assumptions,
): Usage {
  const { batchSize } = assumed;
  const { roundTrips, attempts } = stepOf(step);
  const reads = stepOf("tenDelivered").readUnits - 0.5 + size.eventReadUnits;
  return sum(
    counted(step),
    { "dynamodb.writeUnits": -1, "dynamodb.readUnits": reads / batchSize },
    size.inBucket ? { "s3.gets": 1 / batchSize } : {},
    invoked(roundTrips, attempts > 0, idsBytes, size.bodyBytes, assumed),
    attempts > 0 ? sent(size) : {},
  );
}

/** A request for an event that is there already: accepted, found out, never sent. */
export const duplicated = (size: EventSize, assumed: Assumptions): Usage =>
  sum(
    accepted(size, assumed),
    counted("duplicate"),
    { "dynamodb.readUnits": size.eventReadUnits - 0.5 },
    invoked(stepOf("duplicate").roundTrips, false, size.messageBytes, size.bodyBytes, assumed),
  );

/** A delivery that an operator replays by itself, and its attempt. */
export const replayed = (size: EventSize, assumed: Assumptions): Usage =>
  sum(
    counted("replayed"),
    logged(logBytes.platform + logBytes.access),
    {
      "apiGateway.requests": 1,
      "lambda.requests": 1,
      "lambda.gbSeconds": gbSeconds(
        stepOf("replayed").roundTrips * assumed.roundTripMs,
        assumed.otherCpuMs,
        assumed.memoryMb,
      ),
    },
    laterAttempt("deliveredReplay", size, assumed),
  );
