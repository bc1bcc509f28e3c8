import type { CountedCall } from "../support/counting-recorder.js";
import { markdownTable } from "../support/markdown-table.js";
import type { CountedStep } from "./use-cases.js";

/** The totals of one step. */
export interface StepTotals {
  readonly calls: number;
  /** Sequential ones: calls that are made together count once. */
  readonly roundTrips: number;
  /** Null: nothing is sent to a destination. */
  readonly roundTripsBeforeSend: number | null;
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly queueRequests: number;
  readonly bytesToAws: number;
  readonly bytesToDestinations: number;
}

export function totalsOf({ recording: { calls, sends } }: Pick<CountedStep, "recording">): StepTotals {
  const sum = (of: (call: CountedCall) => number) => calls.reduce((total, call) => total + of(call), 0);
  return {
    calls: calls.length,
    roundTrips: Math.max(0, ...calls.map((call) => call.round)),
    roundTripsBeforeSend: sends.length === 0 ? null : Math.max(...sends.map((send) => send.afterRounds)),
    writeUnits: sum((call) => call.writeUnits),
    readUnits: sum((call) => call.readUnits),
    queueRequests: sum((call) => call.queueRequests),
    bytesToAws: sum((call) => call.sentBytes),
    bytesToDestinations: sends.reduce((total, send) => total + send.sentBytes, 0),
  };
}

/** `GetItem + GetItem → UpdateItem`: what is made together, and what waits for it. */
export function sequenceOf({ recording: { calls } }: CountedStep): string {
  const rounds = Math.max(0, ...calls.map((call) => call.round));
  const together = Array.from({ length: rounds }, (_value, index) => {
    const names = calls.filter((call) => call.round === index + 1).map((call) => call.operation);
    const inOrder = [...new Set(names)].toSorted((a, b) => (a < b ? -1 : 1));
    return inOrder.map((name) => times(names.filter((each) => each === name).length, name));
  });
  return together.map((names) => names.join(" + ")).join(" → ");
}

const times = (count: number, name: string): string => (count === 1 ? name : `${count} × ${name}`);

/** Both tables in Markdown: the numbers, and the calls that they count. */
export function counterTables(steps: readonly CountedStep[]): string {
  const numbers = steps.map((step) => {
    const totals = totalsOf(step);
    return [
      step.title,
      step.function,
      totals.calls,
      totals.roundTrips,
      totals.roundTripsBeforeSend ?? "",
      totals.writeUnits,
      totals.readUnits,
      totals.queueRequests,
      kilobytes(totals.bytesToAws),
      kilobytes(totals.bytesToDestinations),
    ];
  });
  const calls = steps.map((step) => [step.title, sequenceOf(step)]);
  return `${markdownTable(numberColumns, numbers)}\n\n${markdownTable(["What happens", "Calls"], calls)}\n`;
}

const numberColumns = [
  "What happens",
  "Function",
  "AWS calls",
  "Round trips",
  "Before the first byte leaves",
  "Write units",
  "Read units",
  "SQS requests",
  "KB to AWS",
  "KB to destinations",
];

/** Rounded up to half a KB, so that a compression library that gains a byte more is no change. */
const kilobytes = (bytes: number): string => (Math.ceil(bytes / 512) / 2).toFixed(1);
