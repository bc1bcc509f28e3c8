import { CliError, type WrongField } from "./cli-error.js";
import type { RelayAnswer } from "./exchange.js";
import { isLoopback, type RelayAddress } from "./relay-address.js";

interface ProblemDocument {
  readonly code?: string;
  readonly detail?: string;
  /** The gateway's own answers have nothing else. */
  readonly message?: string;
  readonly errors?: readonly WrongField[];
}

/** The error of an answer of 400 and above: what the relay said, and how to go on. */
export function refused({ status, body }: RelayAnswer, address: RelayAddress): CliError {
  const document = jsonOf(body);
  const { code, detail, message, errors } = document;
  const said = detail ?? message ?? `The relay answered with status ${status}.`;
  const fix =
    (code === undefined ? undefined : fixes[code]) ?? (code === undefined ? gatewayFix(status, address) : undefined);
  return new CliError(said, { status, code, fix, fields: errors ?? [] });
}

function jsonOf(body: Buffer): ProblemDocument {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** What the relay cannot know: how its caller comes on with this tool. */
const fixes: Readonly<Record<string, string>> = {
  unknown_source: "`steadyhook sources list` shows those that exist.",
  unknown_subscription: "`steadyhook subscriptions list` shows those that exist.",
  unknown_delivery: "`steadyhook deliveries list` shows those that are kept.",
  unknown_fault: "`steadyhook faults list` shows those that wait.",
  already_redriven: "`steadyhook faults list` shows it if it fails again.",
  not_yet_processed: "Right after it was accepted: try again in a moment.",
  version_mismatch: "Somebody changed it meanwhile: look at it again, then repeat the change.",
  changed_meanwhile: "Try again.",
  has_subscriptions: "`steadyhook subscriptions list SOURCE` shows them.",
  invalid_cursor: "Leave --cursor out, and keep the filters of the page that it came from.",
  unverified: "Only signed requests may call this.",
  internal_error: "The log of the admin function says more.",
};

/** Answers of the gateway in front of the functions. */
function gatewayFix(status: number, { sign, baseUrl }: RelayAddress): string | undefined {
  if (status === 403 && sign !== null) {
    return (
      "The credentials may not call this API, or belong to another account: check --profile and --region; the role " +
      "needs what grantRead, grantOperate, grantPublish or grantAdmin of the construct give (`steadyhook iam-policy`)."
    );
  }
  if (status === 403 && !isLoopback(baseUrl)) {
    return "A relay on AWS takes signed calls only: name it with --stack NAME, or pass --region with --url.";
  }
  if (status === 404) return "Is this a relay's base URL? This version of the relay may also not know the call yet.";
  if (status >= 500) return "Try again; the relay's log says more.";
  return undefined;
}
