import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { packageRoot } from "../../local/paths.js";
import type { CountedCall } from "../support/counting-recorder.js";
import type { CountedCorpus } from "./count-corpus.js";
import { totalsOf } from "./counter-table.js";
import type { Counted, CountedStep } from "./use-cases.js";

/** What the cost model is made of: written by `npm run counters -- --write`, beside the tables for people. */
const file = join(packageRoot, "cli/cost/counted.json");

/** Sizes are rounded up to so many bytes: a compression library that gains a byte more is no change. */
const byteStep = 16;
const rounded = (bytes: number): number => Math.ceil(bytes / byteStep) * byteStep;

/** The counted numbers as the file has them. */
export const documentedCounts = (): Promise<string> => readFile(file, "utf8");

/** Puts these numbers into the file. */
export const documentCounts = (text: string): Promise<void> => writeFile(file, text);

/** The text of the file. */
export function countsText({ steps, sizes }: Counted, corpus: CountedCorpus): string {
  const counts = {
    steps: Object.fromEntries(steps.map((step) => [step.id, countsOf(step)])),
    sizes: sizes.map(({ bodyBytes, packedBytes, messageBytes }) => ({
      bodyBytes,
      packedBytes: rounded(packedBytes),
      messageBytes: rounded(messageBytes),
    })),
    corpus: {
      payloads: corpus.payloads,
      bodyBytes: rounded(corpus.bodyBytes),
      packedBytes: rounded(corpus.packedBytes),
      messageBytes: rounded(corpus.messageBytes),
      itemOverheadBytes: rounded(corpus.itemOverheadBytes),
      messageOverheadBytes: rounded(corpus.messageOverheadBytes),
      writeUnits: Math.round(corpus.writeUnits * 100) / 100,
    },
  };
  return `${JSON.stringify(counts, null, 2)}\n`;
}

function countsOf(step: CountedStep) {
  const { roundTrips, writeUnits, readUnits, queueRequests, bytesToDestinations } = totalsOf(step);
  const { calls, sends } = step.recording;
  const made = (...operations: readonly string[]) => calls.filter((call) => operations.includes(call.operation)).length;
  return {
    function: step.function,
    roundTrips,
    attempts: sends.length,
    writeUnits,
    readUnits,
    queueRequests,
    puts: made("PutObject"),
    gets: made("GetObject"),
    schedules: made("CreateSchedule"),
    keyRequests: made("Decrypt", "GenerateDataKey"),
    largestItemBytes: rounded(Math.max(0, ...calls.map((call: CountedCall) => call.itemBytes))),
    sentBytes: rounded(bytesToDestinations),
  };
}
