import type { Command } from "commander";
import type { SubscriptionView } from "../../functions/app/admin/view-schemas.js";
import type { Io } from "../io.js";
import { given } from "../json-document.js";
import { seconds } from "../option-values.js";
import { describeCommand, run } from "../program.js";
import { requireConfirmation } from "../read-input.js";
import { readSecret } from "../secret-input.js";
import type { Session } from "../session.js";
import { showSubscription } from "./show-subscription.js";
import { ifVersion, type VersionOptions } from "./sources.js";

interface RotateOptions extends VersionOptions {
  readonly overlap?: number;
  readonly secret?: string;
}

/** `steadyhook subscriptions rotate-secret` and `revoke-secret`. */
export function addSecretCommands(group: Command, io: Io): void {
  const rotating = describeCommand(
    group.command("rotate-secret"),
    "Give a subscription a new signing secret; the old ones sign beside it for a while.",
    [
      ["subscriptions rotate-secret sub_…", "a new one is made and shown once; the old one keeps a day"],
      ["subscriptions rotate-secret sub_… --overlap 7d --secret env:NEW_SECRET"],
      ["subscriptions rotate-secret sub_… --overlap 0", "the old one leaked: it ends at once"],
    ],
  );
  const options = rotating
    .argument("<subscription>")
    .option("--overlap <duration>", "how long the old ones still sign (default 24h; 0: not at all)", seconds)
    .option("--secret <where>", "whsec_… secret: env:NAME, @FILE or - (left out: one is made)");
  run(io, ifVersion(options), rotate);
  const revoking = describeCommand(group.command("revoke-secret"), "End one of several signing secrets at once.", [
    ["subscriptions revoke-secret sub_… sec_…"],
  ]);
  const arguments_ = revoking.argument("<subscription>").argument("<secret>", "its id, as `show` names it");
  run(io, ifVersion(arguments_.option("-y, --yes", "do not ask")), revoke);
}

async function rotate(session: Session, options: RotateOptions, id = ""): Promise<void> {
  const signingSecret = options.secret === undefined ? undefined : await readSecret(options.secret, session.io);
  const body = given({ signingSecret, overlapSeconds: options.overlap });
  const path = `/subscriptions/${encodeURIComponent(id)}/rotate-secret`;
  const relay = await session.relay();
  showSubscription(session, await relay.call("POST", path, { body, ifMatch: options.ifVersion }));
}

async function revoke(session: Session, options: VersionOptions, id = "", secretId = ""): Promise<void> {
  await requireConfirmation(session.io, `End the signing secret ${secretId} of ${id} now?`, options.yes);
  const path = `/subscriptions/${encodeURIComponent(id)}/secrets/${encodeURIComponent(secretId)}`;
  const relay = await session.relay();
  const subscription = await relay.call<SubscriptionView>("DELETE", path, { ifMatch: options.ifVersion });
  showSubscription(session, subscription);
}
