import picocolors from "picocolors";
import { type ConnectionOptions, connect } from "./connection.js";
import type { Io, Output } from "./io.js";
import type { RelayClient } from "./relay-client.js";
import { type Column, table } from "./table.js";
import { printable, printableJson } from "./text.js";

/** Options that every command takes. */
export interface GlobalOptions extends ConnectionOptions {
  readonly json?: boolean;
}

type Colours = ReturnType<typeof picocolors.createColors>;

/**
 * Colours on a terminal, and elsewhere where FORCE_COLOR (https://force-color.org) asks for them; never with NO_COLOR
 * (https://no-color.org).
 */
export function coloursOf({ isTTY }: Output, { NO_COLOR, FORCE_COLOR, TERM }: Io["env"]): Colours {
  if (NO_COLOR) return picocolors.createColors(false);
  if (FORCE_COLOR) return picocolors.createColors(!/^(0|false)$/.test(FORCE_COLOR));
  return picocolors.createColors(isTTY && TERM !== "dumb");
}

/** Words that say how something stands, by colour. */
const tones: Readonly<Record<string, "green" | "yellow" | "red">> = {
  active: "green",
  delivered: "green",
  paused: "yellow",
  parked: "yellow",
  retry_scheduled: "yellow",
  retryable: "yellow",
  unknown: "yellow",
  disabled: "red",
  dead_lettered: "red",
  permanent: "red",
};

/** One run of a command: its relay, and how results are shown. */
export class Session {
  readonly colours: Colours;
  readonly #relay: () => Promise<RelayClient>;

  constructor(
    readonly io: Io,
    readonly options: GlobalOptions,
  ) {
    this.colours = coloursOf(io.stdout, io.env);
    let relay: Promise<RelayClient> | undefined;
    this.#relay = () => {
      relay ??= connect(options, io.env);
      return relay;
    };
  }

  /** Connected when it is first asked for. */
  relay(): Promise<RelayClient> {
    return this.#relay();
  }

  get nowMs(): number {
    return this.io.now();
  }

  line(text = ""): void {
    this.io.stdout.write(`${text}\n`);
  }

  /** Beside the result: for eyes, not for pipes. */
  note(text: string): void {
    this.io.stderr.write(`${text}\n`);
  }

  /** The result: as JSON where that was asked for, else as the text that `show` writes. */
  result(value: unknown, show: () => void): void {
    if (this.options.json) this.line(printableJson(value));
    else show();
  }

  table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], { titles = true } = {}): void {
    const { isTTY, columns: width } = this.io.stdout;
    const paint = (text: string) => this.toned(text);
    const heading = titles ? this.colours.dim : null;
    this.line(table(rows, columns, { width: isTTY ? width : undefined, heading, paint }));
  }

  /** Names and values, one a line; null is left out. */
  fields(entries: ReadonlyArray<readonly [name: string, value: string | number | null | undefined]>): void {
    const given = entries.filter((entry) => entry[1] !== null && entry[1] !== undefined);
    const width = Math.max(...given.map(([name]) => name.length));
    for (const [name, value] of given) {
      this.line(`${this.colours.dim(name.padEnd(width))}  ${this.toned(printable(String(value)))}`);
    }
  }

  heading(text: string): void {
    this.line();
    this.line(this.colours.bold(text));
  }

  /** A text in the colour of what it says. */
  toned(text: string): string {
    const tone = tones[text];
    return tone === undefined ? text : this.colours[tone](text);
  }
}
