import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { packageRoot } from "../../local/paths.js";
import { runCli } from "../cli/run-cli.js";

/** docs/healing.md: everything between its marks is what commands print. */
const file = join(packageRoot, "docs/healing.md");

export const outages = ["10m", "1h", "6h", "24h"] as const;
export type Outage = (typeof outages)[number];

const compared = "svix,outpost,convoy,hook0,eventbridge,naive";
export const commandFor = (outage: Outage): string => `policy simulate --outage ${outage} --compare ${compared}`;
const limitedFor = (outage: Outage): string =>
  `policy simulate --outage ${outage} --max-per-second 100 --compare naive`;

export async function printed(line: string): Promise<string> {
  const { code, stdout, stderr } = await runCli(line.split(" "));
  if (code !== 0) throw new Error(`${line}: ${stderr}`);
  return stdout;
}

/** What the page says of an outage, as the commands say it now. */
export interface Section {
  readonly row: string;
  readonly limitedRow: string;
  readonly block: string;
}

export async function sectionOf(outage: Outage): Promise<Section> {
  const command = commandFor(outage);
  const [text, limited] = [await printed(command), await printed(limitedFor(outage))];
  const count = (value: string) => Number(value.replaceAll(",", ""));
  const share = count(first(text, "  wasted")) / count(valuesOf(text, "  wasted").at(-1) ?? "");
  return {
    row: rowOf(outage, text, `${(100 * share).toPrecision(2)}%`),
    limitedRow: rowOf(`${outage}, \`maxPerSecond\` 100`, limited, ""),
    block: `\`\`\`\n$ npx steadyhook ${command}\n${text}\`\`\`\n`,
  };
}

/** In the order of the page's table. */
function rowOf(name: string, text: string, share: string): string {
  const [dead, wasted] = [first(text, "dead letters"), first(text, "  wasted")];
  const names = ["drained after", "  of the shortest", "  of those released", "peak per second", "attempts each"];
  return `| ${[name, dead, wasted, share, ...names.map((each) => first(text, each))].join(" | ")} |\n`;
}

/** What all policies came to, in the lines of a name. */
function valuesOf(text: string, name: string): readonly string[] {
  const lines = text.split("\n").filter((line) => line.startsWith(`${name}  `));
  return lines.flatMap((line) => line.slice(name.length).trim().split(/ {2,}/));
}

/** That of the first policy. */
const first = (text: string, name: string): string => valuesOf(text, name)[0] ?? "";

export const page = (): Promise<string> => readFile(file, "utf8");

/** Puts what an outage came to into the page: its block, and its two lines of the table. */
export async function write(outage: Outage, { row, limitedRow, block }: Section): Promise<void> {
  let text = withBlock(await page(), outage, block);
  text = withLine(text, `| ${outage} |`, row);
  text = withLine(text, `| ${outage}, `, limitedRow);
  await writeFile(file, text);
}

function withBlock(text: string, outage: Outage, block: string): string {
  const start = `<!-- healing: npm run healing -- ${outage} -->\n`;
  const from = text.indexOf(start) + start.length;
  const to = text.indexOf("<!-- /healing -->", from);
  if (from < start.length || to < 0) throw new Error(`${file} has no ${start.trim()} … <!-- /healing -->`);
  return text.slice(0, from) + block + text.slice(to);
}

function withLine(text: string, start: string, line: string): string {
  const from = text.indexOf(`\n${start}`) + 1;
  if (from === 0) throw new Error(`${file} has no line that starts with ${start}`);
  return text.slice(0, from) + line + text.slice(text.indexOf("\n", from) + 1);
}
