import type { PolicyPreviewView } from "../../functions/app/admin/policy-preview.js";
import { type LadderRow, ladderRows } from "../../functions/core/ladder-rows.js";
import type { Session } from "../session.js";
import { type Column, table } from "../table.js";
import { canvasOf, type Fact } from "./canvas.js";
import { plot, rowsOfOne } from "./plot.js";
import * as words from "./words.js";

/** One policy: its ladder as a table and as a plot, where it ends, and what it retries. */
export function showPreview(session: Session, label: string, preview: PolicyPreviewView): void {
  const canvas = canvasOf(session);
  const { dim } = session.colours;
  const facts = (entries: readonly Fact[]) => {
    for (const line of canvas.facts(entries)) session.line(line);
  };
  for (const line of canvas.heading(label, words.policyText(preview))) session.line(line);
  session.line();
  session.line(table(ladderRows(preview.attempts), columns, { width: canvas.width, heading: dim }));
  const lines = plot([preview], rowsOfOne(preview), canvas.plot);
  for (const line of lines) session.line(line);
  session.line();
  facts([
    ["last attempt", words.lastAttemptText(preview)],
    ["dead letter", words.deadLetterText(preview)],
    ["time budget", words.budgetText(preview)],
    ["cap", words.capText(preview)],
    ["not reached", words.unreachedText(preview)],
    ["Retry-After", words.retryAfterText(preview)],
  ]);
  session.line();
  facts(answerFacts(preview));
  session.line();
  for (const line of canvas.wrapped(leftOut)) session.line(dim(line));
}

const leftOut =
  "If every attempt fails at once. Added to it: the time that attempts take, and while deliveries are parked (open circuit, pause, rate).";

/** What is retried, by status and by typed error. */
function answerFacts(preview: PolicyPreviewView): readonly Fact[] {
  const { answers, policy } = preview;
  const { retryOn, neverRetry } = policy;
  return [
    ["retried", words.statusText(answers.retried)],
    ["", words.errorsText(answers.retriedErrors)],
    ["never retried", words.statusText(answers.never)],
    ["", words.errorsText(answers.neverErrors)],
    ["410", words.goneText(preview)],
    ["rules", policy.rules],
    ["retryOn", retryOn.length === 0 ? null : retryOn.join(", ")],
    ["neverRetry", neverRetry.length === 0 ? null : neverRetry.join(", ")],
  ];
}

const of =
  (attempt: (row: LadderRow & { readonly kind: "attempt" }) => string, more = "") =>
  (row: LadderRow): string =>
    row.kind === "attempt" ? attempt(row) : more;

/** Delays of a summarised line are those of each of its attempts, where they are the same. */
const delay =
  (name: "earliestSeconds" | "nominalSeconds" | "latestSeconds") =>
  (row: LadderRow): string => {
    if (row.kind === "more") return row.sameDelay ? words.span(row.first.delay[name]) : "…";
    return row.attempt.number === 1 ? "" : words.span(row.attempt.delay[name]);
  };

const columns: readonly Column<LadderRow>[] = [
  {
    title: "ATTEMPT",
    value: (row) => (row.kind === "attempt" ? String(row.attempt.number) : `${row.first.number}-${row.last.number}`),
  },
  { title: "DELAY", value: delay("nominalSeconds") },
  { title: "SHORTEST", value: delay("earliestSeconds"), rank: 2 },
  { title: "LONGEST", value: delay("latestSeconds"), rank: 2 },
  {
    title: "IN ALL",
    value: of(({ attempt: { at } }) => (at.nominalSeconds === null ? "-" : words.span(at.nominalSeconds)), "…"),
  },
  { title: "EARLIEST", value: of(({ attempt: { at } }) => words.span(at.earliestSeconds), "…"), rank: 1 },
  { title: "LATEST", value: of(({ attempt: { at } }) => words.span(at.latestSeconds), "…"), rank: 1 },
  {
    title: "",
    rank: 1,
    value: of(({ attempt: { capped, certain } }) =>
      [...(capped ? ["cap"] : []), ...(certain ? [] : ["maybe"])].join(", "),
    ),
  },
];
