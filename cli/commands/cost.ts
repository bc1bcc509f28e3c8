import { type Command, Option } from "commander";
import type { CostOptions } from "../cost/cost.js";
import type { Io } from "../io.js";
import { amount, byteSize, milliseconds, number, seconds, share, wholeNumber } from "../option-values.js";
import { describeCommand, run } from "../program.js";
import type { Session } from "../session.js";

/** `steadyhook cost`: what a relay costs a month on AWS, without a relay. */
export function addCost(root: Command, io: Io): void {
  const command = describeCommand(
    root.command("cost"),
    "Show what a relay costs on AWS a month: counted units times list prices, without a relay.",
    [
      ["cost --events 5M --body 3KB"],
      ["cost --events 5M --body 3KB --failure-rate 2% --region eu-central-1", "with retries, in Frankfurt"],
      ["cost --events 1M --fan-out 10 --outage-hours 24 --json"],
    ],
  )
    .addOption(new Option("--events <n>", "events a month: 500k, 5M").argParser(amount).default(1_000_000, "1M"))
    .addOption(new Option("--body <size>", "bytes of a body of JSON: 3KB").argParser(byteSize).default(1_024, "1KB"))
    .addOption(
      new Option("--failure-rate <share>", "share of attempts that fail: 2%").argParser(share).default(0, "0%"),
    )
    .addOption(new Option("--fan-out <n>", "subscriptions that each event goes to").argParser(wholeNumber).default(1))
    .addOption(
      new Option("--outage-hours <n>", "hours a month in which destinations are down").argParser(number).default(0),
    )
    .addOption(
      new Option("--latency <duration>", "until a destination has answered")
        .argParser(milliseconds)
        .default(200, "200ms"),
    )
    .addOption(new Option("--batch <n>", "messages per invocation, 1 to 10").argParser(wholeNumber).default(10))
    .addOption(
      new Option("--retention <duration>", "how long deliveries are kept").argParser(seconds).default(2_592_000, "30d"),
    );
  run(io, command, cost);
}

async function cost(session: Session, options: CostOptions): Promise<void> {
  // Loaded here, so that no other command waits for the numbers.
  const { showCosts } = await import("../cost/cost.js");
  showCosts(session, options);
}
