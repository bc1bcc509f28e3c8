import { type Load, measureLoad } from "./load.js";
import { type Benchmark, number, type Table, text } from "./report.js";
import { type RunningRelay, startRunningRelay } from "./running-relay.js";
import { quantile } from "./stats.js";

const senders = [1, 10, 100];
const loadSeconds = { quick: 2, full: 15 };
const steadyPerSecond = 50;
const steadySeconds = { quick: 3, full: 30 };

/** The local relay end to end, from a sender's first byte to the destination that has the whole request. */
export const localRelay: Benchmark = {
  name: "local-relay",
  async measure(size) {
    const relay = await startRunningRelay();
    try {
      // What is loaded and compiled late belongs to nobody's figures.
      await measureLoad(relay, { senders: 10, seconds: loadSeconds.quick });
      const rows = [];
      for (const count of senders) {
        const load = await measureLoad(relay, { senders: count, seconds: loadSeconds[size] });
        rows.push(rowOf(`${count} at a time`, load, relay));
      }
      const steady = await measureLoad(relay, { perSecond: steadyPerSecond, seconds: steadySeconds[size] });
      rows.push(rowOf(`${steadyPerSecond} per second`, steady, relay));
      return [tableOf(rows, size === "quick")];
    } finally {
      await relay.close();
    }
  },
};

const rowOf = (senders: string, load: Load, relay: RunningRelay): Table["rows"][0] => [
  senders,
  load.deliveredPerSecond / load.acceptedPerSecond,
  load.deliveredPerCpuSecond,
  load.acceptedPerSecond,
  load.deliveredPerSecond,
  quantile(load.acceptedMs, 0.5),
  quantile(load.acceptedMs, 0.99),
  quantile(load.deliveredMs, 0.5),
  quantile(load.deliveredMs, 0.99),
  relay.memoryMb(),
];

function tableOf(rows: Table["rows"], quick: boolean): Table {
  return {
    caption:
      `Events of 1 KB to one subscription; senders and destination share the machine${quick ? ", quick run" : ""}. ` +
      "Targets on two cores: ≥ 200 delivered per second, p99 of the first attempt < 100 ms at 50 per second.",
    columns: [
      text("senders"),
      number("delivered : accepted", 2),
      number("delivered per second of CPU"),
      number("accepted/s"),
      number("delivered/s"),
      number("202 after, p50 ms"),
      number("p99 ms"),
      number("first attempt after, p50 ms"),
      number("p99 ms"),
      number("memory, MB"),
    ],
    rows,
  };
}
