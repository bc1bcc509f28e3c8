import { type Command, Option } from "commander";
import { presetNames } from "../../functions/core/presets.js";
import { offering } from "../completion/offered.js";
import type { Io } from "../io.js";
import { repeated, wholeNumber } from "../option-values.js";
import type { PreviewOptions } from "../policy/preview.js";
import { addPolicyOptions } from "../policy-options.js";
import { describeCommand, run } from "../program.js";
import type { Session } from "../session.js";
import { addSimulate } from "./simulate.js";

/** `steadyhook policy …`: what a retry policy comes to, without a relay. */
export function addPolicy(root: Command, io: Io): void {
  const policy = describeCommand(root.command("policy"), "Retry policies: what they come to, without a relay.", [
    ["policy preview"],
    ["policy preview --preset notification-rules"],
    ["policy simulate --outage 1h"],
  ]);
  const command = describeCommand(
    policy.command("preview"),
    "Show when a policy retries, with its jitter, where it ends, and what it retries.",
    [
      ["policy preview --preset hookwatch --max-attempts 4", "a preset with another maximum"],
      ["policy preview --policy @policy.json --svg policy.svg", "and as a picture"],
      ["policy preview --preset default --preset standard-webhooks", "side by side"],
      ["policy preview --schedule table:1m,5m,1h --max-age 2h --json"],
    ],
  )
    .addOption(
      offering(
        new Option("--preset <name>", `${presetNames.join(", ")}; may be repeated`).argParser(repeated),
        presetNames,
      ),
    )
    .addOption(new Option("--policy <json>", "a policy as JSON, @FILE or -; may be repeated").argParser(repeated))
    .option("--svg <file>", "write the plot as SVG; - is stdout, in place of the text");
  addPolicyOptions(command, "Fields of the policy, laid over each one (durations: 90, 30s, 5m, 2h, 1d):");
  addSystemOptions(command);
  run(io, command, preview);
  addSimulate(policy, io);
}

/** The defaults that the relay's stack was deployed with. */
function addSystemOptions(command: Command): void {
  const heading = "Defaults of the relay's stack:";
  command.addOption(
    new Option("--system-max-attempts <n>", "defaults.maxAttempts").argParser(wholeNumber).helpGroup(heading),
  );
  command.addOption(
    new Option("--system-preset <name>", "defaults.policyPreset").choices(presetNames).helpGroup(heading),
  );
}

async function preview(session: Session, options: PreviewOptions): Promise<void> {
  // Loaded here, so that no other command waits for the schemas.
  const { previewPolicies } = await import("../policy/preview.js");
  await previewPolicies(session, options);
}
