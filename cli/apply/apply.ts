import { CliError } from "../cli-error.js";
import { Progress } from "../progress.js";
import { confirmed } from "../read-input.js";
import type { Session } from "../session.js";
import { counted } from "../text.js";
import { carryOut } from "./carry-out.js";
import { readCurrentState } from "./current-state.js";
import { makePlan } from "./plan.js";
import { invalidFile, readApplyFile } from "./read-apply-file.js";
import { SecretReader } from "./secrets.js";
import { planDocument, showOutcome, showPlan } from "./show-plan.js";
import type { Findings } from "./step.js";

/** Options of `steadyhook apply`. */
export interface ApplyOptions {
  readonly dryRun?: boolean;
  readonly prune?: boolean;
  readonly updateSecrets?: boolean;
  readonly takeOver?: boolean;
  readonly yes?: boolean;
}

/** Compares file and relay, shows the difference and carries it out. Gives the failure when a part was not done. */
export async function applyFile(
  session: Session,
  bytes: Buffer,
  name: string,
  options: ApplyOptions,
): Promise<CliError | null> {
  const { prune = false, updateSecrets = false, takeOver = false, dryRun = false } = options;
  const file = readApplyFile(bytes, name);
  const relay = await session.relay();
  const secrets = new SecretReader(session.io.env);
  const planOptions = { owner: file.managedBy, secrets, prune, updateSecrets, takeOver };
  const plan = makePlan(file, await readCurrentState(relay, file, prune), planOptions);
  requireOwn(plan);
  // A difference can be shown without them; it cannot be carried out.
  if (secrets.missing.length > 0 && !dryRun) throw invalidFile(name, secrets.missing);
  if (!session.options.json) showPlan(session, plan);
  for (const { field, reason } of secrets.missing) session.note(`warning: ${field}: ${reason}`);
  if (dryRun || plan.steps.length === 0) {
    session.result(planDocument(plan, { dryRun, outcome: null }), () => undefined);
    return null;
  }
  await requireConsent(session, plan, options);
  const progress = new Progress(session.io.stderr);
  const outcome = await carryOut(relay, plan.steps, progress);
  progress.clear();
  session.result(planDocument(plan, { dryRun, outcome }), () => showOutcome(session, plan, outcome));
  return outcome.failed?.error ?? null;
}

/** Two files that keep the same object would undo each other for ever. */
function requireOwn({ foreign }: Findings): void {
  if (foreign.length === 0) return;
  throw new CliError("The file names what is managed by another one; nothing was changed.", {
    code: "managed_by_other",
    fields: foreign.map(({ path, kind, name, owner }) => ({
      field: path ?? "",
      reason: `${kind} ${name} is managed by "${owner}"`,
    })),
    fix: "Leave it out of one of the files, or take it over with --take-over.",
  });
}

async function requireConsent(session: Session, { steps }: Findings, { yes }: ApplyOptions): Promise<void> {
  const deletes = steps.filter(({ action }) => action === "delete").length;
  if (deletes === 0 || (await confirmed(session.io, `Delete ${counted(deletes, "object")}?`, yes))) return;
  throw new CliError("Nothing was changed.");
}
