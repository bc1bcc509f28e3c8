import type { AlarmNotice } from "./alarm-notice.js";

const icons = {
  ALARM: ":red_circle:",
  OK: ":large_green_circle:",
  INSUFFICIENT_DATA: ":white_circle:",
  NOTICE: ":information_source:",
} as const satisfies Record<AlarmNotice["state"], string>;

/** The body that Slack's incoming webhooks take. What CloudWatch says stands there as text: it opens no mention, no link. */
export function slackBody(notice: AlarmNotice): string {
  const { state, name, reason, description, consoleUrl } = notice;
  const lines = [
    `${icons[state]} *${state}* ${escaped(name)}`,
    ...[description, reason].filter((text) => text !== "").map(escaped),
    ...(consoleUrl === null ? [] : [`<${consoleUrl}|Open in CloudWatch>`]),
  ];
  return JSON.stringify({ text: lines.join("\n") });
}

/** The three characters that Slack gives a meaning. */
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** The body of a webhook, as Standard Webhooks recommends it: type, time, data. */
export function webhookBody(notice: AlarmNotice, nowMs: number): string {
  const { name: alarm, ...data } = notice;
  const timestamp = notice.changedAt ?? new Date(nowMs).toISOString();
  return JSON.stringify({ type: "steadyhook.alarm", timestamp, data: { alarm, ...data } });
}
