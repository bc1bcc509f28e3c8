import type { Session } from "../session.js";
import { counted, printable } from "../text.js";
import type { Outcome } from "./carry-out.js";
import type { Findings, Step } from "./step.js";

const marks = { create: "+", change: "~", delete: "-" } as const;
const tones = { create: "green", change: "yellow", delete: "red" } as const;
const past = { create: "created", change: "changed", delete: "deleted" } as const;

/** The difference, one object a paragraph. */
export function showPlan(session: Session, { steps, unchanged, kept }: Findings): void {
  for (const { action, kind, name, changes } of steps) {
    session.line(session.colours[tones[action]](`${marks[action]} ${kind} ${printable(name)}`));
    for (const { field, from, to } of changes)
      session.line(`    ${printable(`${field}: ${shown(from)} → ${shown(to)}`)}`);
  }
  for (const { kind, name, why } of kept) session.note(`kept: ${kind} ${printable(name)} ${why}`);
  const counts = countsOf(steps);
  if (steps.length === 0) session.line(`no changes (${counted(unchanged, "object")} unchanged)`);
  else
    session.line(
      `${counts("create", "to create")}, ${counts("change", "to change")}, ${counts("delete", "to delete")}, ${unchanged} unchanged`,
    );
}

const countsOf = (steps: readonly Step[]) => (action: Step["action"], text: string) =>
  `${steps.filter((step) => step.action === action).length} ${text}`;

const shown = (value: unknown): string => (value === undefined ? "(none)" : JSON.stringify(value));

/** What became of the plan. */
export function showOutcome(session: Session, plan: Findings, { done, failed, unseenSecrets }: Outcome): void {
  const counts = countsOf(done);
  session.line(`done: ${counts("create", "created")}, ${counts("change", "changed")}, ${counts("delete", "deleted")}`);
  if (unseenSecrets.length > 0) {
    session.note(
      `note: the relay made the signing secret of ${unseenSecrets.join(", ")}, and it is not shown here. For a receiver ` +
        'that verifies requests name one in the file: "signingSecret": {"env":"NAME"}.',
    );
  }
  if (failed === null) return;
  const { step } = failed;
  for (const each of done) session.note(`done: ${past[each.action]} ${each.kind} ${each.name}`);
  session.note(`failed: ${step.action} ${step.kind} ${step.name}`);
  for (const each of plan.steps.slice(done.length + 1))
    session.note(`not done: ${each.action} ${each.kind} ${each.name}`);
}

/** The same for programs. Requests, which may hold secrets, are not in it. */
export function planDocument(plan: Findings, { dryRun, outcome }: { dryRun: boolean; outcome: Outcome | null }) {
  const states = new Map(outcome?.done.map((step) => [step, "done"]));
  if (outcome?.failed) states.set(outcome.failed.step, "failed");
  return {
    dryRun,
    changes: plan.steps.map((step) => ({
      action: step.action,
      kind: step.kind,
      name: step.name,
      fields: step.changes.map(({ field, from, to }) => ({ field, from: from ?? null, to: to ?? null })),
      state: states.get(step) ?? "not_done",
    })),
    unchanged: plan.unchanged,
    kept: plan.kept.map(({ kind, name, why }) => ({ kind, name, why })),
  };
}
