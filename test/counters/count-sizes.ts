import { decodeMessage } from "../../functions/app/messages.js";
import type { CountingRelay } from "../support/counting-relay.js";
import { corpusBytes } from "./corpus.js";
import { aSource, json } from "./counted-source.js";
import { onlyTurn, passed } from "./turns.js";
import type { Recordings } from "./use-cases.js";

/** Bodies that are counted by their size, in bytes. */
const countedSizes = { "256": 256, "1k": 1_024, "10k": 10_240, "100k": 102_400, "1m": 1_048_576 } as const;

/** What a body of one size comes to on its way. */
export interface CountedSize {
  readonly bodyBytes: number;
  /** Headers and body as they are stored. */
  readonly packedBytes: number;
  readonly messageBytes: number;
}

/** Accepts events of each size, and delivers them at the first attempt. */
export async function countSizes(
  relay: CountingRelay,
): Promise<{ readonly recordings: Recordings; readonly sizes: readonly CountedSize[] }> {
  const source = await aSource(relay, {});
  await passed(relay, source.event());
  const recordings: Record<string, Recordings[keyof Recordings]> = {};
  const sizes: CountedSize[] = [];
  for (const [name, bodyBytes] of Object.entries(countedSizes)) {
    recordings[`accepted${name}`] = await relay.accept(source.event(corpusBytes(bodyBytes), json));
    const { recording, messages } = await relay.deliver();
    recordings[`delivered${name}`] = recording;
    sizes.push({ bodyBytes, ...sizeOf(messages) });
  }
  return { recordings, sizes };
}

function sizeOf([text = "", ...others]: readonly string[]): Omit<CountedSize, "bodyBytes"> {
  const message = decodeMessage(text);
  if (others.length > 0 || message.kind !== "event" || message.content.at !== "inline") {
    throw new Error("the only message is no event with its content in line");
  }
  return { packedBytes: message.content.packed.length, messageBytes: text.length };
}

/** Ten events of one source, delivered in one batch. */
export async function countBatch(relay: CountingRelay): Promise<Recordings> {
  const source = await aSource(relay, {});
  await passed(relay, source.event());
  for (let index = 0; index < 10; index++) await relay.accept(source.event());
  return { deliveredTen: await onlyTurn(relay, 10) };
}

/** Sweeps of a relay in which nothing is overdue; the second one is warm. */
export async function countSweep(relay: CountingRelay): Promise<Recordings> {
  await relay.sweep();
  relay.advance(300);
  return { swept: await relay.sweep() };
}
