import { parse } from "../functions/app/admin/parse.js";
import { AdminProblem } from "../functions/app/admin/problem.js";
import type { SampleReport } from "../functions/app/admin/sample-schemas.js";
import { verificationSchema } from "../functions/app/admin/verification-schema.js";
import type { Verification } from "../functions/core/model.js";
import { withProvider } from "../functions/core/providers.js";
import { diagnose } from "../functions/core/verification/diagnose.js";
import { verificationProblems } from "../functions/core/verification/problems.js";
import type { VerifiableRequest } from "../functions/core/verification/scheme.js";
import { CliError, usageError } from "./cli-error.js";
import type { Io } from "./io.js";
import type { JsonObject } from "./json-document.js";
import { type ProviderOptions, requireProvider } from "./provider-options.js";
import { type VerificationOptions, verificationOf } from "./verification-options.js";

/** Verifies a request by what the options say, on this machine: the relay's own code, and no relay. */
export async function verifyHere(
  options: VerificationOptions & ProviderOptions,
  io: Io,
  request: VerifiableRequest,
  sourceId: string | null,
): Promise<SampleReport> {
  const { verification, secrets } = await readVerification(options, io);
  if (verification.scheme === "sns") {
    throw usageError(
      "A message of SNS is verified under a certificate that has to be fetched.",
      "Let the relay do it: `steadyhook sources verify SOURCE --request FILE`, without --scheme and --provider.",
    );
  }
  const open = secrets.map((value, index) => ({ id: `number ${index + 1}`, value }));
  const { verified, secretId, reason, steps, hints } = diagnose(verification, open, request);
  return {
    sourceId: sourceId ?? "",
    verified,
    verifiedBy: secretId === null ? null : `secret ${secretId}`,
    reason,
    scheme: verification.scheme,
    at: new Date(request.nowMs).toISOString(),
    steps: [...steps],
    hints: [...hints],
  };
}

async function readVerification(options: VerificationOptions & ProviderOptions, io: Io) {
  const said = await verificationOf(options, io, undefined);
  const document =
    options.provider === undefined
      ? said
      : withProvider(requireProvider(options.provider), said === undefined ? {} : { verification: said })[
          "verification"
        ];
  if (document === null || document === undefined) {
    throw usageError("There is nothing to verify by.", "Give --scheme or --provider, and --secret.");
  }
  if ((document as JsonObject)["scheme"] === undefined) {
    throw usageError("How is it signed? Give --scheme or --provider beside --secret.");
  }
  const { secrets = [], ...verification } = checked(document);
  const problems = verificationProblems(verification as Verification, secrets);
  // What is wrong with a secret is a step of the explanation: there it says more.
  const others = problems.filter(({ field }) => !/^verification\.secrets\[/.test(field));
  if (others.length > 0) throw invalidOptions(others);
  return { verification: verification as Verification, secrets };
}

function checked(document: unknown) {
  try {
    return parse(verificationSchema, document, "verification");
  } catch (error) {
    if (error instanceof AdminProblem) throw invalidOptions(error.details.errors ?? []);
    throw error;
  }
}

const invalidOptions = (fields: readonly { readonly field: string; readonly reason: string }[]): CliError =>
  new CliError("The options make no verification.", { exitCode: 2, fields });

/** What follows the source's URL in a path: after its `/in/SOURCE`, else after the path of the public URL. */
export function suffixOf(path: string, sourceId: string | undefined, publicUrl: string | null): string {
  const [, after] = new RegExp(`/in/${sourceId ?? "[A-Za-z0-9_-]{1,64}"}(?=/|$)(.*)$`, "s").exec(path) ?? [];
  const base = publicUrl !== null && URL.canParse(publicUrl) ? new URL(publicUrl).pathname.replace(/\/$/, "") : null;
  const rest = after ?? (base !== null && path.startsWith(base) ? path.slice(base.length) : "");
  try {
    // As the gateway hands it over.
    return decodeURIComponent(rest);
  } catch {
    return rest;
  }
}
