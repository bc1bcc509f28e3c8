import type { PolicyPreviewView } from "../../functions/app/admin/policy-preview.js";
import type { Session } from "../session.js";
import { type Column, table } from "../table.js";
import { canvasOf, type Fact } from "./canvas.js";
import { plot, rowOfAll } from "./plot.js";
import type { ChosenPolicy } from "./policy-choices.js";
import * as words from "./words.js";

/** One line of a comparison: what it is about, and what each policy says to it. */
interface Aspect {
  readonly name: string;
  readonly of: (preview: PolicyPreviewView) => string;
}

/** Columns that a line has room for. */
const sideBySide = 4;
/** More attempts than these are not compared one by one. */
const mostAttempts = 12;

/** Policies side by side: their ladders by attempt, their ends and answers, and all of them on one time axis. */
export function showComparison(session: Session, chosen: readonly ChosenPolicy[]): void {
  const canvas = canvasOf(session);
  const { dim } = session.colours;
  const previews = chosen.map(({ preview }) => preview);
  for (const { label, preview } of chosen) {
    for (const line of canvas.heading(label, words.policyText(preview))) session.line(line);
  }
  for (let from = 0; from < chosen.length; from += sideBySide) {
    const shown = chosen.slice(from, from + sideBySide);
    session.line();
    session.line(table(aspects(shown), columnsOf(shown), { width: canvas.width, heading: dim }));
  }
  const rows = chosen.map(({ label, preview }) => rowOfAll(shortened(label), preview));
  const lines = plot(previews, rows, canvas.plot);
  for (const line of lines) session.line(line);
  session.line();
  const answers = chosen.map(({ label, preview }): Fact => [shortened(label), answersText(preview)]);
  for (const line of canvas.facts(answers)) session.line(line);
}

const answersText = (preview: PolicyPreviewView): string => {
  const { retried, never } = preview.answers;
  const statuses = `retries ${words.statusText(retried)}; never ${words.statusText(never)}`;
  return `${statuses}; a 410 ${words.goneText(preview)}`;
};

const longestLabel = 20;
const shortened = (label: string): string =>
  label.length > longestLabel ? `${label.slice(0, longestLabel - 1)}…` : label;

const columnsOf = (chosen: readonly ChosenPolicy[]): readonly Column<Aspect>[] => [
  { title: "", value: ({ name }) => name },
  ...chosen.map(
    ({ label, preview }): Column<Aspect> => ({
      title: shortened(label),
      value: ({ of }) => of(preview),
      cut: true,
    }),
  ),
];

function aspects(chosen: readonly ChosenPolicy[]): readonly Aspect[] {
  const longest = Math.max(...chosen.map(({ preview }) => preview.attempts.length));
  const numbers = Array.from({ length: Math.min(longest, mostAttempts) }, (_, index) => index + 1);
  const all: readonly Aspect[] = [
    ...numbers.slice(1).map((number) => ({ name: `attempt ${number}`, of: timeOf(number) })),
    { name: "last attempt", of: ({ end }) => `${end.mostAttempts}: ${words.span(end.nominalSeconds)}` },
    { name: "  earliest", of: ({ end }) => words.span(end.earliestSeconds) },
    { name: "  latest", of: ({ end }) => words.span(end.latestSeconds) },
    { name: "ends by", of: ({ end }) => end.reasons.join(", ") },
    { name: "jitter", of: ({ policy }) => (policy.jitter === 0 ? "none" : `±${words.percent(policy.jitter)}`) },
    { name: "cap", of: ({ policy }) => spanOrNone(policy.capSeconds) },
    { name: "capped from", of: ({ cappedFromAttempt: from }) => (from === null ? "" : `attempt ${from}`) },
    { name: "time budget", of: ({ policy }) => spanOrNone(policy.maxAgeSeconds) },
    { name: "not reached", of: ({ unreachedDelaysSeconds: delays }) => delays.map(words.span).join(", ") },
    { name: "rules", of: ({ policy }) => policy.rules },
    { name: "retryOn", of: ({ policy }) => policy.retryOn.join(", ") },
    { name: "neverRetry", of: ({ policy }) => policy.neverRetry.join(", ") },
    { name: "Retry-After", of: (preview) => words.span(preview.longestRetryAfterSeconds) },
  ];
  return all.filter(({ of }) => chosen.some(({ preview }) => of(preview) !== ""));
}

/** Since receipt. */
const timeOf =
  (number: number) =>
  ({ attempts }: PolicyPreviewView): string => {
    const at = attempts[number - 1]?.at;
    if (at === undefined) return "";
    return at.nominalSeconds === null ? `from ${words.span(at.earliestSeconds)}` : words.span(at.nominalSeconds);
  };

const spanOrNone = (seconds: number | null): string => (seconds === null ? "none" : words.span(seconds));
