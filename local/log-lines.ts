/** Turns the functions' JSON log lines into lines for a person. */

export interface LineStyle {
  /** ANSI colours: only for a terminal. */
  readonly colour: boolean;
  /** Leave JSON as it is. */
  readonly json: boolean;
}

const colours = { dim: 2, red: 31, green: 32, yellow: 33 } as const;
type Colour = keyof typeof colours;

/** Said by the message or meant for machines: not repeated behind it. */
const leftOut = new Set(["level", "message", "time"]);

/** `12:00:01 delivery dlv_… attempt 1 → 503, next in 30 s`; null for what says every five minutes that all is well. */
export function functionLine(label: string, line: string, style: LineStyle, nowMs: number): string | null {
  if (style.json) return line;
  // Numbers for CloudWatch: the lines beside them say the same in words.
  if (line.startsWith('{"_aws":')) return null;
  const entry = parsed(line);
  if (entry === null) return engineLine(label, line, style, nowMs);
  const level = String(entry["level"] ?? "info");
  if (entry["message"] === "sweep" && level === "info") return null;
  const [text, colour] = entry["message"] === "attempt" ? attemptText(entry, nowMs) : [plainText(entry), null];
  return engineLine(label, text, style, nowMs, colour ?? colourOf(level));
}

/** A line of the engine itself, or what stands behind time and name. */
export function engineLine(
  label: string,
  text: string,
  style: LineStyle,
  nowMs: number,
  colour: Colour | null = null,
): string {
  if (style.json) return JSON.stringify({ level: "info", message: text, time: new Date(nowMs).toISOString(), label });
  const start = paint(`${clockTime(nowMs)} ${label.padEnd(8)}`, "dim", style);
  const safe = escapeControls(text);
  return `${start} ${colour === null ? safe : paint(safe, colour, style)}`;
}

function attemptText(entry: Readonly<Record<string, unknown>>, nowMs: number): [string, Colour] {
  const result = String(entry["statusCode"] ?? entry["error"] ?? entry["outcome"]);
  const start = `${String(entry["deliveryId"])} attempt ${String(entry["attempt"])} → ${result}`;
  const { status, nextAttemptAt, durationMs, deadLetterReason } = entry;
  if (status === "delivered") return [`${start}, delivered in ${String(durationMs)} ms`, "green"];
  if (status === "dead_lettered") {
    return [`${start}, dead-lettered${deadLetterReason ? ` (${String(deadLetterReason)})` : ""}`, "red"];
  }
  if (typeof nextAttemptAt !== "string") return [`${start}, ${String(status).replace("_", " ")}`, "yellow"];
  return [`${start}, next in ${duration(Date.parse(nextAttemptAt) - nowMs)}`, "yellow"];
}

function plainText(entry: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(entry)
    .filter(([name, value]) => !leftOut.has(name) && value !== null && value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  return [String(entry["message"]), ...fields].join(" ");
}

/** `30 s`, `5 min`, `1 h 30 min`, `2 d 4 h` */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const parts: Array<[number, string]> = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3_600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ];
  const shown = parts.filter(([count]) => count > 0).slice(0, 2);
  return shown.length === 0 ? "0 s" : shown.map(([count, unit]) => `${count} ${unit}`).join(" ");
}

function parsed(line: string): Record<string, unknown> | null {
  if (!line.startsWith("{")) return null;
  try {
    const value = JSON.parse(line) as Record<string, unknown>;
    return typeof value["message"] === "string" ? value : null;
  } catch {
    return null; // somebody wrote a line of their own
  }
}

const colourOf = (level: string): Colour | null => (level === "error" ? "red" : level === "warn" ? "yellow" : null);

const paint = (text: string, colour: Colour, style: LineStyle): string =>
  style.colour ? `\u001b[${colours[colour]}m${text}\u001b[0m` : text;

/** Paths and texts of others stand in a line: they must not move the cursor or begin a new one. */
const escapeControls = (text: string): string =>
  text.replace(/\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`);

function clockTime(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 8);
}
