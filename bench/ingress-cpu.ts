import type { Headers } from "../functions/core/model.js";
import { type Reference, references } from "../test/core/verification/references.js";
import { httpApiEvent } from "../test/support/http-api-event.js";
import { ingressInMemory } from "./ingress-in-memory.js";
import { type Benchmark, number, type Table, text } from "./report.js";
import { someJson } from "./some-json.js";

const bodyKilobytes = [1, 10, 100];
/** Events of each size, so that each takes about as long. */
const events = { quick: [100, 50, 20], full: [3_000, 1_500, 400] };

/** The ingress function, called with the gateway's event, its AWS calls stubbed at the ports: its own CPU time. */
export const ingressCpu: Benchmark = {
  name: "ingress-cpu",
  async measure(size) {
    const counts = events[size];
    // Once for nothing: what is compiled meanwhile serves all.
    await eachSize(counts, null);
    const plain = await eachSize(counts, null);
    const rows: Table["rows"][number][] = [rowOf("none", plain, plain)];
    for (const each of references) rows.push(rowOf(each.name, await eachSize(counts, each), plain));
    return [
      {
        caption:
          "CPU per event, whole function: the gateway's event, verification, identity, content packed, message written. " +
          "Ratio: to an event of that size whose source verifies nothing.",
        columns: [
          text("verification"),
          ...bodyKilobytes.map((kb) => number(`ratio, ${kb} KB`, 2)),
          ...bodyKilobytes.map((kb) => number(`µs, ${kb} KB`)),
        ],
        rows,
      },
    ];
  },
};

const rowOf = (name: string, times: readonly number[], plain: readonly number[]): Table["rows"][number] => [
  name,
  ...times.map((time, at) => time / (plain[at] ?? Number.NaN)),
  ...times,
];

async function eachSize(counts: readonly number[], scheme: Reference | null): Promise<number[]> {
  const times = [];
  for (const [at, kb] of bodyKilobytes.entries()) times.push(await cpuPerEvent(scheme, kb * 1024, counts[at] ?? 0));
  return times;
}

/** Microseconds of CPU per event, user and system. */
async function cpuPerEvent(scheme: Reference | null, bodyBytes: number, count: number): Promise<number> {
  const rig = ingressInMemory(scheme?.verification ?? null, scheme?.secret ?? "");
  const event = eventOf(scheme, bodyBytes, rig.nowMs);
  const run = async (times: number): Promise<void> => {
    for (let round = 0; round < times; round++) {
      const { statusCode } = await rig.ingress(event);
      if (statusCode !== 202) throw new Error(`${scheme?.name ?? "none"} was answered with ${statusCode}`);
    }
  };
  await run(Math.ceil(count / 5));
  const before = process.cpuUsage();
  await run(count);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

function eventOf(scheme: Reference | null, bodyBytes: number, nowMs: number): unknown {
  const signed = scheme === null ? unsigned(bodyBytes) : ofSize(scheme, bodyBytes, nowMs);
  return httpApiEvent({
    path: `/in/src${signed.suffix}`,
    query: signed.query,
    headers: { "content-type": "application/json", ...Object.fromEntries(signed.headers) },
    body: signed.body,
  });
}

const unsigned = (bodyBytes: number) => ({ suffix: "", query: "", headers: [] as Headers, body: someJson(bodyBytes) });

/** Some schemes wrap the bytes into JSON or a form: less is wrapped, so that about as much comes out. */
function ofSize(scheme: Reference, bodyBytes: number, nowMs: number) {
  const { length } = scheme.request(someJson(bodyBytes), nowMs).body;
  return scheme.request(someJson(Math.round((bodyBytes * bodyBytes) / length)), nowMs);
}
