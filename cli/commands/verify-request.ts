import type { Command } from "commander";
import type { SampleReport } from "../../functions/app/admin/sample-schemas.js";
import { headerValue } from "../../functions/core/header-list.js";
import { providers } from "../../functions/core/providers.js";
import { CliError, usageError } from "../cli-error.js";
import type { Io } from "../io.js";
import { pointInTime } from "../option-values.js";
import { describeCommand, run } from "../program.js";
import { addProviderOption, type ProviderOptions } from "../provider-options.js";
import { readSavedRequest } from "../saved-request/read-saved-request.js";
import { judgedTime } from "../saved-request/request-time.js";
import type { SavedRequest } from "../saved-request/saved-request.js";
import type { Session } from "../session.js";
import { absoluteTime, bothTimes, counted, printable } from "../text.js";
import { addVerificationOptions, type VerificationOptions } from "../verification-options.js";
import { suffixOf, verifyHere } from "../verify-here.js";

interface VerifyOptions extends VerificationOptions, ProviderOptions {
  readonly request: string;
  readonly at?: string;
  readonly suffix?: string;
}

/** `steadyhook sources verify`: why a saved request verifies or not. */
export function addVerifyRequest(sources: Command, io: Io): void {
  const command = describeCommand(
    sources.command("verify"),
    "Say step by step why a saved request is verified or not. Nothing is stored or delivered; fails where it is not.",
    [
      ["sources verify shop --request request.http", "with the secrets that the relay has"],
      ["sources verify --request entry.har --provider stripe --secret env:STRIPE_SECRET", "without a relay"],
      ["sources verify --request - --scheme hmac --hmac-header x-signature --secret @secret.txt < request.http"],
    ],
  )
    .argument("[source]", "whose secrets to take; left out: the options say them, and no relay is asked")
    .requiredOption(
      "--request <file>",
      "raw HTTP, a curl command, a HAR entry, an event of API Gateway, or JSON; - is stdin",
    )
    .option("--at <time>", "judge it at this time (default: when it was recorded, its Date header, its own timestamp)")
    .option(
      "--suffix <path>",
      "what follows the source's URL (default: what follows /in/SOURCE in the request's path)",
    );
  addProviderOption(command, "the preset to verify by");
  run(io, addVerificationOptions(command, ""), verify);
}

async function verify(session: Session, options: VerifyOptions, sourceId?: string): Promise<void> {
  const { nowMs } = session;
  const saved = await readSavedRequest(options.request, session.io);
  const judged =
    options.at === undefined
      ? judgedTime(saved, nowMs)
      : { atMs: Date.parse(pointInTime(options.at, nowMs)), from: "--at" };
  const suffix = options.suffix ?? suffixOf(saved.path, sourceId, options.publicUrl ?? null);
  const sample = { method: saved.method, suffix, query: saved.query, headers: saved.headers, body: saved.body };
  const report = isLocal(options)
    ? await verifyHere(options, session.io, { ...sample, nowMs: judged.atMs }, sourceId ?? null)
    : await askRelay(session, sample, judged.atMs, sourceId);
  const hints = [...report.hints, ...lookalikes(saved, report), ...(report.verified ? [] : saved.doubts)];
  session.result(
    { ...report, hints, request: { format: saved.format, suffix, bytes: saved.body.length, timeFrom: judged.from } },
    () => {
      showRequest(session, saved, judged.from, report);
      for (const hint of hints) session.line(`-   ${printable(hint)}`);
      if (report.verified) showAge(session, report, nowMs);
    },
  );
  if (!report.verified) throw new CliError(`The request is not verified: ${report.reason}`, { code: "unverified" });
}

const isLocal = ({ scheme, provider, secret }: VerifyOptions): boolean =>
  scheme !== undefined || provider !== undefined || secret !== undefined;

type Sample = Pick<SavedRequest, "method" | "query" | "headers" | "body"> & { readonly suffix: string };

async function askRelay(
  session: Session,
  { method, suffix, query, headers, body }: Sample,
  nowMs: number,
  sourceId: string | undefined,
): Promise<SampleReport> {
  if (sourceId === undefined) {
    throw usageError("Whose secrets? Name a source, or give --provider (or --scheme) and --secret.");
  }
  const document = {
    method,
    suffix,
    query,
    headers: Object.fromEntries(headers),
    bodyBase64: body.toString("base64"),
    nowMs,
  };
  const relay = await session.relay();
  return relay.call<SampleReport>("POST", `/sources/${encodeURIComponent(sourceId)}/verify`, { body: document });
}

function showRequest(session: Session, saved: SavedRequest, from: string, { at, steps }: SampleReport): void {
  const { format, method, path, headers, body } = saved;
  const size = `${counted(headers.length, "header")}, ${counted(body.length, "byte")} of body`;
  session.line(printable(`${format}: ${method} ${path}, ${size}; judged at ${absoluteTime(at)} (${from})`));
  for (const { step, ok, detail } of steps) {
    session.line(`${ok ? session.colours.green("ok") : session.colours.red("no")}  ${printable(`${step}: ${detail}`)}`);
  }
}

/** A saved request is of the past: verified then says nothing of now. */
function showAge(session: Session, { at, verifiedBy }: SampleReport, nowMs: number): void {
  const by = verifiedBy === null ? "" : ` by ${verifiedBy}`;
  session.line(`verified${by} as of ${bothTimes(at, nowMs)}`);
}

/** Other providers whose headers the request has, where those that the scheme asks for are missing. */
function lookalikes({ headers }: SavedRequest, { steps }: SampleReport): readonly string[] {
  if (!steps.some(({ step, ok }) => !ok && step.startsWith("header "))) return [];
  return providers.flatMap(({ name, title, headers: own }) => {
    const found = own.find((each) => headerValue(headers, each) !== null);
    return found === undefined ? [] : [`It has the header ${found}: is it from ${title} (--provider ${name})?`];
  });
}
