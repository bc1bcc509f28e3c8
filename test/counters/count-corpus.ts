import { inlineAtRestBytes } from "../../functions/app/delivery/stored-content.js";
import { decodeMessage } from "../../functions/app/messages.js";
import { packContent, unpackContent } from "../../functions/core/content.js";
import type { Headers } from "../../functions/core/model.js";
import type { CountingRelay } from "../support/counting-relay.js";
import { corpus } from "./corpus.js";
import { aSource, json } from "./counted-source.js";
import { totalsOf } from "./counter-table.js";

/** Means over the corpus, each payload accepted once and delivered at its first attempt. */
export interface CountedCorpus {
  readonly payloads: number;
  readonly bodyBytes: number;
  readonly packedBytes: number;
  readonly messageBytes: number;
  /** What an event's item has besides its packed content, and its message besides the content in base64. */
  readonly itemOverheadBytes: number;
  readonly messageOverheadBytes: number;
  /** Of the whole way: event, claim, listing, record. */
  readonly writeUnits: number;
}

const writeUnitBytes = 1_024;

/** So many payloads between two that go the whole way. */
const sampled = 30;

/**
 * Packs every payload as ingress does, and derives its units from its size. Some of them go the whole way besides: where
 * what was counted differs from what was derived, this fails.
 */
export async function countCorpus(relay: CountingRelay): Promise<CountedCorpus> {
  const source = await aSource(relay, {});
  await relay.accept(source.event());
  await relay.deliver();
  const counted = async (body: Buffer) => {
    const request = source.event(body, json);
    await relay.accept(request);
    const { recording, messages } = await relay.deliver();
    const message = decodeMessage(messages[0] ?? "");
    if (message.kind !== "event" || message.content.at !== "inline")
      throw new Error("no event with its content in line");
    const { packed } = message.content;
    const itemBytes = Math.max(...recording.calls.map((call) => call.itemBytes));
    return {
      headers: unpackContent(packed).headers,
      packedBytes: packed.length,
      itemOverhead: itemBytes - packed.length,
      messageOverhead: (messages[0] ?? "").length - base64Bytes(packed.length),
      writeUnits: totalsOf({ recording }).writeUnits,
    };
  };
  const first = await counted(corpus[0] as Buffer);
  const derived = corpus.map((body) => {
    const packedBytes = packedSize(first.headers, body);
    return { body, packedBytes, writeUnits: 3 + Math.ceil((packedBytes + first.itemOverhead) / writeUnitBytes) };
  });
  for (const { body, packedBytes, writeUnits } of derived.filter((_each, index) => index % sampled === 0)) {
    const found = await counted(body);
    // A signature and a delivery id of its own make a few bytes of difference.
    if (found.writeUnits !== writeUnits || Math.abs(found.packedBytes - packedBytes) > 16) {
      throw new Error(`counted ${JSON.stringify(found)}, derived ${packedBytes} bytes and ${writeUnits} write units`);
    }
  }
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    payloads: corpus.length,
    bodyBytes: mean(corpus.map((body) => body.length)),
    packedBytes: mean(derived.map((each) => each.packedBytes)),
    messageBytes: mean(derived.map((each) => first.messageOverhead + base64Bytes(each.packedBytes))),
    itemOverheadBytes: first.itemOverhead,
    messageOverheadBytes: first.messageOverhead,
    writeUnits: mean(derived.map((each) => each.writeUnits)),
  };
}

function packedSize(headers: Headers, body: Buffer): number {
  const { length } = packContent({ headers, body });
  if (length > inlineAtRestBytes) throw new Error(`a payload of ${body.length} bytes rests in the bucket`);
  return length;
}

const base64Bytes = (bytes: number): number => Math.ceil(bytes / 3) * 4;
