import { isUtf8 } from "node:buffer";
import type { Command } from "commander";
import { isJson } from "../../functions/core/json-source.js";
import { usageError } from "../cli-error.js";
import type { Io } from "../io.js";
import { readInputFile } from "../json-document.js";
import { describeCommand, run } from "../program.js";
import { readAll } from "../read-input.js";
import type { Session } from "../session.js";

interface PublishOptions {
  readonly type?: string;
  readonly idempotencyKey?: string;
  readonly contentType?: string;
  readonly data?: string;
  readonly file?: string;
}

/** `steadyhook publish SOURCE`: an event of your own, to everyone who subscribed to the source. */
export function addPublish(root: Command, io: Io): void {
  const command = describeCommand(
    root.command("publish"),
    "Publish an event to a source's subscriptions, byte for byte.",
    [
      [`publish customer-7 --type invoice.paid --data '{"amount":12}'`],
      ["publish customer-7 --type invoice.paid --idempotency-key inv_42 --file invoice.json"],
      ["publish customer-7 --content-type text/csv < report.csv", "the body from stdin"],
    ],
  )
    .argument("<source>")
    .option("--type <type>", "the event's dotted name")
    .option("--idempotency-key <key>", "the same key is the same event: it is delivered once")
    .option("--content-type <type>", "of the body (default: application/json or text/plain if it is, else octets)")
    .option("--data <text>", "the body")
    .option("--file <file>", "the body is this file's content; - is stdin, the default");
  run(io, command, publish);
}

async function publish(session: Session, options: PublishOptions, sourceId = ""): Promise<void> {
  const { type, idempotencyKey, contentType } = options;
  const body = await readBody(session.io, options);
  const headers: Record<string, string> = { "content-type": contentType ?? typeOf(body) };
  if (type !== undefined) headers["steadyhook-event-type"] = headerValue("--type", type);
  if (idempotencyKey !== undefined) headers["idempotency-key"] = headerValue("--idempotency-key", idempotencyKey);
  const answer = await (await session.relay()).publish(sourceId, body, headers);
  session.result(answer, () => {
    session.line(answer.eventId);
    session.note(`Accepted. What becomes of it: steadyhook events show ${answer.eventId}`);
  });
}

async function readBody(io: Io, { data, file }: PublishOptions): Promise<Buffer> {
  if (data !== undefined && file !== undefined) throw usageError("--data and --file are two bodies.", "Leave one out.");
  if (data !== undefined) return Buffer.from(data, "utf8");
  return file === undefined || file === "-" ? readAll(io, "the body") : readInputFile(file);
}

/** What travels in a header is visible ASCII. */
function headerValue(option: string, value: string): string {
  if (/^[ -~]+$/.test(value)) return value;
  throw usageError(`${option} must be made of printable ASCII characters.`);
}

function typeOf(body: Buffer): string {
  if (!isUtf8(body)) return "application/octet-stream";
  return isJson(body.toString("utf8")) ? "application/json" : "text/plain; charset=utf-8";
}
