import { type Command, Option } from "commander";
import { presetNames } from "../../functions/core/presets.js";
import { offering } from "../completion/offered.js";
import type { Io } from "../io.js";
import { number, repeated, seconds, wholeNumber } from "../option-values.js";
import { addPolicyOptions } from "../policy-options.js";
import { describeCommand, run } from "../program.js";
import type { Session } from "../session.js";
import { failures } from "../simulate/scenario.js";
import type { SimulateOptions } from "../simulate/simulate.js";

/** `steadyhook policy simulate`: an outage, played with policies, without a relay. */
export function addSimulate(policy: Command, io: Io): void {
  const command = describeCommand(
    policy.command("simulate"),
    "Play an outage of a destination with policies, and show what they come to.",
    [
      ["policy simulate --outage 1h", "the default policy and its circuit, beside what is written first"],
      ["policy simulate --outage 6h --rate 50 --capacity 100 --compare svix,eventbridge,naive"],
      ["policy simulate --outage 10m --policy @policy.json --max-per-second 100 --svg outage.svg"],
      ["policy simulate --outage 1h --failure hang --compare no-circuit --json"],
    ],
  )
    .addOption(new Option("--outage <duration>", "how long it is down").argParser(seconds).default(3_600, "1h"))
    .addOption(new Option("--rate <n>", "events per second").argParser(number).default(50))
    .addOption(
      new Option("--capacity <n>", "requests per second that it takes; above: 503").argParser(wholeNumber).default(100),
    )
    .addOption(new Option("--events <n>", "events in all; else as many as a drain takes").argParser(wholeNumber))
    .addOption(
      offering(
        new Option("--preset <name>", `${presetNames.join(", ")}; may be repeated`).argParser(repeated),
        presetNames,
      ),
    )
    .addOption(new Option("--policy <json>", "a policy as JSON, @FILE or -; may be repeated").argParser(repeated))
    .addOption(
      new Option(
        "--compare <names>",
        "svix, outpost, convoy, hook0, eventbridge, naive, no-circuit, or presets",
      ).default("naive"),
    )
    .addOption(new Option("--max-per-second <n>", "the subscription's maxPerSecond").argParser(number))
    .addOption(new Option("--failure <kind>", "what a request meets").choices(failures).default("refused"))
    .addOption(new Option("--arrivals <kind>", "how events come").choices(["poisson", "even"]).default("poisson"))
    .addOption(
      new Option("--environments <n>", "environments of the delivery function").argParser(wholeNumber).default(2),
    )
    .addOption(new Option("--seed <n>", "of what is drawn").argParser(wholeNumber).default(1))
    .option("--svg <file>", "write the plot as SVG; - is stdout, in place of the text");
  addPolicyOptions(command, "Fields of the policy, laid over each one (durations: 90, 30s, 5m, 2h, 1d):");
  run(io, command, simulate);
}

async function simulate(session: Session, options: SimulateOptions): Promise<void> {
  // Loaded here, so that no other command waits for the schemas.
  const { simulatePolicies } = await import("../simulate/simulate.js");
  await simulatePolicies(session, options);
}
