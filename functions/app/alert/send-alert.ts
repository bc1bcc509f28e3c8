import { noticeKey, readNotice } from "../../core/alerts/alarm-notice.js";
import { slackBody, webhookBody } from "../../core/alerts/alert-body.js";
import { signatureHeader, signingSecretProblem } from "../../core/standard-webhooks.js";
import type { Log } from "../delivery/delivery-context.js";
import type { Clock, OutboundRequest, Sender } from "../ports.js";

/** What was posted already. */
export interface AlertMarks {
  /**
   * True for who may post: nobody did within the time, or this very message did and perhaps died before it was done.
   * One conditional write.
   */
  take(key: string, messageId: string, nowMs: number, untilMs: number): Promise<boolean>;
}

export interface AlertContext {
  readonly marks: AlertMarks;
  /** The secret's value, read afresh every few minutes. */
  readonly secret: () => Promise<string>;
  /** Null: to Slack, whose URL is the secret. */
  readonly webhookUrl: string | null;
  readonly sender: Sender;
  readonly now: Clock;
  readonly log: Log;
}

/** One message of the topic. */
export interface TopicMessage {
  readonly messageId: string;
  readonly subject: string | null;
  readonly message: string;
}

/** An alarm that flaps between two states within this time is told once for each. */
const onceWithinMs = 10 * 60_000;
const postMs = 10_000;
const timeouts = { connectSeconds: 5, readSeconds: 10 };

/** Posts an alarm once. Rejects when that failed, so that Lambda tries again; no text of the failure holds a secret. */
export async function sendAlert(context: AlertContext, topicMessage: TopicMessage): Promise<void> {
  const notice = readNotice(topicMessage.message, topicMessage.subject);
  const { messageId } = topicMessage;
  const shown = { alarm: notice.name, state: notice.state, messageId };
  const nowMs = context.now();
  if (!(await context.marks.take(noticeKey(notice), messageId, nowMs, nowMs + onceWithinMs))) {
    context.log("info", "alert not repeated", shown);
    return;
  }
  const secret = (await context.secret()).trim();
  const { webhookUrl } = context;
  const request =
    webhookUrl === null
      ? post(slackUrl(secret), slackBody(notice), [])
      : signedPost(webhookUrl, webhookBody(notice, nowMs), secret, messageId, nowMs);
  const result = await context.sender.send({ ...request, deadlineMs: context.now() + postMs });
  const { statusCode, error } = result;
  const posted = statusCode !== null && statusCode >= 200 && statusCode < 300;
  context.log(posted ? "info" : "error", posted ? "alert posted" : "alert not posted", { ...shown, statusCode, error });
  if (!posted) throw new Error(`alert not posted: ${statusCode ?? error}`);
}

type Post = Omit<OutboundRequest, "deadlineMs">;

function post(url: string, body: string, headers: OutboundRequest["headers"]): Post {
  const common = [["content-type", "application/json"]] as const;
  return { url, method: "POST", headers: [...common, ...headers], body: Buffer.from(body), timeouts };
}

/** The same `webhook-id` for each try: the receiver knows a repetition by it. */
function signedPost(url: string, body: string, secret: string, id: string, nowMs: number): Post {
  const problem = signingSecretProblem(secret);
  if (problem !== null) throw new Error(`The secret ${problem}.`);
  const timestampSeconds = Math.floor(nowMs / 1000);
  const signature = signatureHeader({ secrets: [secret], id, timestampSeconds, body: Buffer.from(body) });
  return post(url, body, [
    ["webhook-id", id],
    ["webhook-timestamp", String(timestampSeconds)],
    ["webhook-signature", signature],
  ]);
}

/** A webhook's URL is all that one needs to post there: it is never shown. */
function slackUrl(secret: string): string {
  const { protocol, hostname } = URL.canParse(secret) ? new URL(secret) : { protocol: "", hostname: "" };
  // Without TLS on this machine only: there the sender has its own say, too.
  if (protocol === "https:" || (protocol === "http:" && hostname === "127.0.0.1")) return secret;
  throw new Error("The secret is no https URL: its value must be the incoming webhook's URL, and nothing else.");
}
