import type { SubscriptionView } from "../../functions/app/admin/view-schemas.js";
import { CliError, type WrongField } from "../cli-error.js";
import type { Progress } from "../progress.js";
import type { RelayClient } from "../relay-client.js";
import { counted } from "../text.js";
import type { Step } from "./step.js";

export interface Outcome {
  readonly done: readonly Step[];
  /** Subscriptions for which the relay made a signing secret, which nobody has seen. */
  readonly unseenSecrets: readonly string[];
  /** Set when a step failed: the ones after it were not tried. */
  readonly failed: { readonly step: Step; readonly error: CliError } | null;
}

/** Does the steps in their order, and stops at the first that fails: what comes later may need it. */
export async function carryOut(relay: RelayClient, steps: readonly Step[], progress: Progress): Promise<Outcome> {
  const done: Step[] = [];
  const unseenSecrets: string[] = [];
  for (const step of steps) {
    progress.show(done.length / steps.length, `${done.length} of ${counted(steps.length, "change")} made`);
    try {
      const { method, path, body, ifMatch } = step.request;
      const answer = await relay.call<Partial<SubscriptionView> | undefined>(method, path, { body, ifMatch });
      if (answer?.signingSecret !== undefined) unseenSecrets.push(step.name);
      done.push(step);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      return { done, unseenSecrets, failed: { step, error: inFile(error, step) } };
    }
  }
  return { done, unseenSecrets, failed: null };
}

/** The relay names fields of one request: here they get their path in the file. */
function inFile(error: CliError, { path }: Step): CliError {
  const { fields = [], code, fix } = error.details;
  const placed = fields.map((each): WrongField => ({ ...each, field: joined(path, each.field) }));
  const again = code === "version_mismatch" || code === "already_exists" || code === "name_taken";
  const concurrent = "Somebody changed it meanwhile: run apply again to see what is different now.";
  return new CliError(error.message, { ...error.details, fields: placed, fix: again ? concurrent : fix });
}

const joined = (path: string | null, field: string): string =>
  [path, field].filter((part) => part !== null && part !== "").join(".");
