import counts from "./counted.json" with { type: "json" };

/** What `npm run counters` counted: an invocation of one function each, as docs/costs-counted.md shows them. */
export interface CountedStep {
  readonly function: string;
  readonly roundTrips: number;
  readonly attempts: number;
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly queueRequests: number;
  readonly puts: number;
  readonly gets: number;
  readonly schedules: number;
  readonly keyRequests: number;
  readonly largestItemBytes: number;
  readonly sentBytes: number;
}

export type StepName = keyof typeof counts.steps;

export const stepOf = (name: StepName): CountedStep => counts.steps[name];

/** Means over GitHub's payloads. */
export const { corpus } = counts;

const kilobyte = 1_024;
const readUnitBytes = 4 * kilobyte;
const queueRequestBytes = 64 * kilobyte;
const gatewayRequestBytes = 512 * kilobyte;

/** Packed contents above this rest in the bucket (`inlineAtRestBytes`), messages above the other go by it (claim check). */
const inlineAtRestBytes = 8 * kilobyte;
const largestMessageBytes = 1_048_576 - 4_096;
/** What the key of a content in the bucket adds to an event's item: `bodies/`, the event's id, a hash. */
const pointerBytes = 112;

/** What an event's size comes to. */
export interface EventSize {
  readonly bodyBytes: number;
  readonly packedBytes: number;
  readonly messageBytes: number;
  /** Of the event's item. */
  readonly itemBytes: number;
  /** The event's item costs as many write units, */
  readonly eventWriteUnits: number;
  /** and as many read units, eventually consistent. */
  readonly eventReadUnits: number;
  /** The content rests in the bucket. */
  readonly inBucket: boolean;
  /** The message points to the bucket: ingress puts the content there, and the first attempt gets it. */
  readonly byBucket: boolean;
  readonly gatewayRequests: number;
}

const { itemOverheadBytes, messageOverheadBytes } = corpus;

/** Of a body of JSON: between the sizes that were counted, what is packed is interpolated. */
export const sizeOf = (bodyBytes: number): EventSize => sizeOfPacked(bodyBytes, packedBytesOf(bodyBytes));

function sizeOfPacked(bodyBytes: number, packed: number): EventSize {
  const packedBytes = Math.ceil(packed);
  const inline = messageOverheadBytes + Math.ceil(packedBytes / 3) * 4;
  const byBucket = inline > largestMessageBytes;
  const inBucket = packedBytes > inlineAtRestBytes;
  const itemBytes = itemOverheadBytes + (inBucket ? pointerBytes : packedBytes);
  return {
    bodyBytes,
    packedBytes,
    messageBytes: byBucket ? messageOverheadBytes : inline,
    itemBytes,
    eventWriteUnits: Math.ceil(itemBytes / kilobyte),
    eventReadUnits: Math.ceil(itemBytes / readUnitBytes) / 2,
    inBucket,
    byBucket,
    gatewayRequests: Math.max(1, Math.ceil(bodyBytes / gatewayRequestBytes)),
  };
}

/** The mean of GitHub's payloads, their units not rounded again. */
export const corpusSize: EventSize = {
  ...sizeOfPacked(corpus.bodyBytes, corpus.packedBytes),
  eventWriteUnits: corpus.writeUnits - deliveryWriteUnits(),
};

/** Write units of a first attempt besides its event: claim, listing, record. */
export function deliveryWriteUnits(): number {
  return stepOf("delivered1k").writeUnits - Math.ceil(stepOf("delivered1k").largestItemBytes / kilobyte);
}

/** SQS bills each request by the payload of all its messages. */
export const queueRequests = (bytes: number): number => Math.max(1, Math.ceil(bytes / queueRequestBytes));

function packedBytesOf(bodyBytes: number): number {
  const points = counts.sizes;
  const above = points.findIndex((point) => point.bodyBytes >= bodyBytes);
  const upper = points[above < 1 ? (above === 0 ? 1 : points.length - 1) : above];
  const lower = points[above < 1 ? (above === 0 ? 0 : points.length - 2) : above - 1];
  if (upper === undefined || lower === undefined) throw new Error("counted.json has fewer than two sizes");
  const slope = (upper.packedBytes - lower.packedBytes) / (upper.bodyBytes - lower.bodyBytes);
  return Math.max(0, lower.packedBytes + slope * (bodyBytes - lower.bodyBytes));
}
