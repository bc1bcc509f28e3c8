/** `npm run test:durability [-- --rounds N --seed S]`: `kill -9`, again and again, on the real local relay. */
import { parseArgs } from "node:util";
import { killAgainAndAgain, type Report, type Round } from "./run.js";

// As in local/main.ts: a notice about a later release of the SDK says nothing here.
process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";

const { values } = parseArgs({ options: { rounds: { type: "string" }, seed: { type: "string" } } });
const rounds = wholeNumber("rounds", values.rounds ?? "30");
const seed = wholeNumber("seed", values.seed ?? "1");

print("round  killed             accepted  requests");
const report = await killAgainAndAgain({ rounds, seed, onRound: (round) => print(roundLine(round)) });
print(summary(report));
process.exitCode = report.violations.length === 0 ? 0 : 1;

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  process.stderr.write(`--${name} is "${text}": it must be a whole number.\n`);
  process.exit(2);
}

function roundLine({ number, moment, afterMs, accepted, requests }: Round): string {
  const killed = `${moment} + ${afterMs} ms`.padEnd(19);
  return `${String(number).padStart(5)}  ${killed}${String(accepted).padStart(8)}${String(requests).padStart(10)}`;
}

/** Violations that are printed: more of them say the same. */
const mostPrinted = 50;

function summary(report: Report): string {
  const { violations } = report;
  return [
    "",
    `seed ${seed}, ${rounds} kills`,
    `events accepted         ${report.accepted} (${report.unanswered} posts without an answer, posted again)`,
    `deliveries              ${report.delivered} delivered, ${report.deadLettered} dead-lettered`,
    `faults sent back        ${report.redriven}`,
    `requests seen           ${report.requests}`,
    `attempts unknown        ${report.unknown}`,
    `duplicates              ${report.duplicates}, each after an attempt recorded as unknown`,
    `violations              ${violations.length}`,
    ...violations.slice(0, mostPrinted).map((violation) => `  ${violation}`),
  ].join("\n");
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
