/** What an alarm says, as CloudWatch puts it on its topic. */
export interface AlarmNotice {
  /** Name of the alarm; of a text that somebody else published: its subject. */
  readonly name: string;
  readonly state: "ALARM" | "OK" | "INSUFFICIENT_DATA" | "NOTICE";
  readonly previousState: string | null;
  /** What the metric came to, in CloudWatch's words. */
  readonly reason: string;
  /** What it means, and where the runbook says what to do. */
  readonly description: string;
  readonly region: string | null;
  readonly accountId: string | null;
  /** ISO time of the change; null: not said. */
  readonly changedAt: string | null;
  /** The alarm's page in the console; null for a text. */
  readonly consoleUrl: string | null;
}

/** Slack takes 40,000 characters, and nobody reads more than this. */
const longestText = 2_000;

/** Reads a message of the topic; whatever is no alarm is shown as the text that it is. */
export function readNotice(message: string, subject: string | null): AlarmNotice {
  const fields = objectOf(message);
  const name = textOf(fields["AlarmName"]);
  if (name === null) return plainNotice(message, subject);
  const arn = textOf(fields["AlarmArn"]);
  const region = arn?.split(":")[3] ?? null;
  return {
    name,
    state: stateOf(fields["NewStateValue"]),
    previousState: textOf(fields["OldStateValue"]),
    reason: textOf(fields["NewStateReason"]) ?? "",
    description: textOf(fields["AlarmDescription"]) ?? "",
    region,
    accountId: textOf(fields["AWSAccountId"]),
    changedAt: timeOf(fields["StateChangeTime"]),
    consoleUrl: region === null ? null : consoleUrl(region, name),
  };
}

/** The same alarm in the same state is told once within a while: this names it. At most 512 characters. */
export const noticeKey = ({ name, state, region, accountId }: AlarmNotice): string =>
  [accountId ?? "", region ?? "", state, name].join("#").slice(0, 512);

function plainNotice(message: string, subject: string | null): AlarmNotice {
  const none = { previousState: null, description: "", region: null, accountId: null, changedAt: null };
  const reason = message.slice(0, longestText);
  return { ...none, name: subject ?? "Message", state: "NOTICE", reason, consoleUrl: null };
}

function stateOf(value: unknown): AlarmNotice["state"] {
  return value === "ALARM" || value === "OK" || value === "INSUFFICIENT_DATA" ? value : "NOTICE";
}

/** CloudWatch writes `2026-01-31T12:00:00.000+0000`. */
function timeOf(value: unknown): string | null {
  const ms = Date.parse(textOf(value)?.replace(/([+-]\d\d)(\d\d)$/, "$1:$2") ?? "");
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

function consoleUrl(region: string, alarmName: string): string {
  const host = region.startsWith("cn-") ? "console.amazonaws.cn" : `${region}.console.aws.amazon.com`;
  return `https://${host}/cloudwatch/home?region=${region}#alarmsV2:alarm/${encodeURIComponent(alarmName)}`;
}

const textOf = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value.slice(0, longestText) : null;

function objectOf(message: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(message);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
