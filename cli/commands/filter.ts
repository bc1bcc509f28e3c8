import type { Command } from "commander";
import { filterSubject } from "../../functions/core/filter.js";
import { filterProblems } from "../../functions/core/filter-problems.js";
import { jsonText } from "../../functions/core/json-body.js";
import type { Filter, Headers } from "../../functions/core/model.js";
import { CliError, usageError } from "../cli-error.js";
import { type ConditionResult, tryFilter } from "../filter-trial.js";
import type { Io } from "../io.js";
import { readInputFile, readJsonObject } from "../json-document.js";
import { repeated } from "../option-values.js";
import { describeCommand, run } from "../program.js";
import { readAll } from "../read-input.js";
import type { Session } from "../session.js";

interface TestOptions {
  readonly filter: string;
  readonly body?: string;
  readonly header?: readonly string[];
}

/** `steadyhook filter test`: what a filter says of an event, before any subscription has it. */
export function addFilter(root: Command, io: Io): void {
  const group = describeCommand(root.command("filter"), "Filters of subscriptions, tried on this machine.", [
    ["filter test --filter @filter.json --body @event.json"],
  ]);
  const command = describeCommand(
    group.command("test"),
    "Say whether a filter takes an event, condition by condition. No relay is asked.",
    [
      ["filter test --filter @filter.json --body @event.json"],
      [`filter test --filter '{"header":"x-topic","equals":"orders/paid"}' --header x-topic:orders/paid`],
      ["filter test --filter @filter.json --body - < event.json", "the body from stdin"],
    ],
  )
    .requiredOption("--filter <json>", "the filter: JSON, @FILE or -")
    .option("--body <body>", "the event's body, as it stands here, @FILE or - (stdin); left out: empty")
    .option("--header <name:value>", "a header of the event; may be repeated", repeated);
  run(io, command, test);
}

async function test(session: Session, { filter: given, body = "", header = [] }: TestOptions): Promise<void> {
  if (given === "-" && body === "-") throw usageError("--filter and --body cannot both be stdin.");
  const headers = header.map(parsedHeader);
  const filter = checkedFilter(await readJsonObject(given, session.io));
  const bytes = await readBody(session.io, body);
  const result = tryFilter(filter, filterSubject({ headers, body: bytes }));
  session.result(result, () => {
    session.line(result.matched ? session.colours.green("matches") : session.colours.red("does not match"));
    session.line();
    session.table(result.conditions, [
      { title: "MATCHED", value: ({ matched }) => (matched ? "yes" : "no") },
      { title: "AT", value: ({ at }) => at, rank: 1 },
      { title: "CONDITION", value: ({ condition }) => condition, cut: true },
      { title: "FOUND", value: foundCell, cut: true },
    ]);
    if (bytes.length > 0 && jsonText(bytes) === null) session.note("The body is not JSON: it has no values.");
  });
}

const foundCell = ({ found }: ConditionResult): string => found ?? "(nothing)";

function parsedHeader(text: string): Headers[number] {
  const [, name, value] = /^([^:\s]+):(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw usageError("A header is given as NAME:VALUE, such as x-topic:orders/paid.");
}

function checkedFilter(value: unknown): Filter {
  const problems = filterProblems(value);
  if (problems.length === 0) return value as Filter;
  const fields = problems.map(({ path, reason }) => ({ field: pathText(path), reason }));
  throw new CliError("The filter is not valid.", { code: "invalid_filter", fields });
}

const pathText = (path: readonly (string | number)[]): string =>
  path.reduce<string>((text, key) => (typeof key === "number" ? `${text}[${key}]` : `${text}.${key}`), "filter");

function readBody(io: Io, given: string): Promise<Buffer> {
  if (given === "-") return readAll(io, "the body");
  return given.startsWith("@") ? readInputFile(given.slice(1)) : Promise.resolve(Buffer.from(given, "utf8"));
}
