import { failurePreviewBytes, successPreviewBytes } from "../../core/attempt-history.js";
import { classifyError, classifyStatus, isGone } from "../../core/classify.js";
import { webhookIdOf } from "../../core/delivery.js";
import { destinationUrl } from "../../core/destination-url.js";
import { maskSecrets, secretsOf } from "../../core/mask-secrets.js";
import type { Attempt, Claim, Delivery, EventContent, EventMeta, Outcome, RetryPolicy } from "../../core/model.js";
import { outboundHeaders } from "../../core/outbound-headers.js";
import { requestIdOf } from "../../core/request-id.js";
import { parseRetryAfter } from "../../core/retry-after.js";
import { secretHeaders } from "../../core/sealed-secrets.js";
import type { OpenSubscription, OutboundRequest, SendResult } from "../ports.js";
import type { DeliveryContext, InvocationTime } from "./delivery-context.js";
import { watchingForHangs } from "./slow-lane.js";

/** What an attempt is made of. */
export interface AttemptInput {
  readonly event: EventMeta;
  readonly content: EventContent;
  readonly subscription: OpenSubscription;
  readonly delivery: Delivery;
  /** The delivery's own. */
  readonly claim: Claim;
}

export interface AttemptResult {
  readonly attempt: Attempt;
  /** The destination said 410, and the policy takes it at its word. */
  readonly gone: boolean;
}

/** Makes one HTTP request and describes what came of it. A failing destination is a value, never an exception. */
export async function makeAttempt(
  context: DeliveryContext,
  input: AttemptInput,
  time: InvocationTime,
): Promise<AttemptResult> {
  const request = prepared(context, input, time);
  const { policy, subscriptionId } = input.subscription;
  const result =
    "url" in request ? await watchingForHangs(context, subscriptionId, context.sender.send(request)) : request;
  const attempt = describeAttempt(input, result);
  return { attempt, gone: result.statusCode !== null && isGone(policy, result.statusCode) };
}

/** The request; or what came of it, when a subscription is stored that none can be made for (no sound secret). */
function prepared(context: DeliveryContext, input: AttemptInput, time: InvocationTime): OutboundRequest | SendResult {
  try {
    return outboundRequest(context, input, time);
  } catch (error) {
    return {
      statusCode: null,
      error: "invalid_header",
      errorDetail: `The request cannot be made: ${(error as Error).message}.`,
      responseHeaders: [],
      startedAtMs: context.now(),
      durationMs: 0,
      timings: {},
      preview: Buffer.alloc(0),
      previewCut: false,
    };
  }
}

function outboundRequest(context: DeliveryContext, input: AttemptInput, time: InvocationTime): OutboundRequest {
  const { event, content, subscription, delivery, claim } = input;
  return {
    url: destinationUrl(subscription.url, event, subscription.forwardSuffix),
    method: event.method,
    headers: outboundHeaders({
      received: content.headers,
      verification: null,
      signing: subscription.signing,
      webhookId: webhookIdOf(delivery),
      eventId: event.eventId,
      attempt: claim.attempt,
      receivedAtMs: event.receivedAtMs,
      timestampSeconds: Math.floor(context.now() / 1000),
      body: content.body,
      secrets: subscription.secretValues.map((secret) => secret.value),
      custom: subscription.headerValues,
    }),
    body: content.body,
    timeouts: subscription.timeouts,
    ...tlsIdentity(subscription),
    deadlineMs: time.sendDeadlineMs,
  };
}

function describeAttempt({ subscription, claim }: AttemptInput, result: SendResult): Attempt {
  const outcome = outcomeOf(subscription.policy, result);
  const secrets = secretsIn(subscription);
  const previewBytes = outcome === "delivered" ? successPreviewBytes : failurePreviewBytes;
  // Masked before it is cut: the cut may leave too little of a secret to know it by.
  const preview = maskSecrets(result.preview, secrets).subarray(0, previewBytes);
  return {
    number: claim.attempt,
    startedAtMs: result.startedAtMs,
    delaySeconds: claim.delaySeconds,
    outcome,
    statusCode: result.statusCode,
    error: result.error,
    durationMs: Math.round(result.durationMs),
    ...(result.errorDetail === undefined ? {} : { errorDetail: result.errorDetail }),
    ...retryAfter(subscription.policy, outcome, result, secrets),
    ...(result.address === undefined ? {} : { address: result.address }),
    timings: result.timings,
    ...(preview.length === 0 ? {} : { preview: preview.toString("base64") }),
    ...(result.previewCut || preview.length < result.preview.length ? { previewCut: true } : {}),
    ...redirectLocation(result, secrets),
    ...requestId(result, secrets),
  };
}

function tlsIdentity({ tls, tlsKey }: OpenSubscription): Pick<OutboundRequest, "tls"> {
  if (tls === null) return {};
  return { tls: { ...tls, ...(tlsKey === null ? {} : { key: tlsKey }) } };
}

function secretsIn({ url, secretValues, headers, headerValues }: OpenSubscription): readonly string[] {
  const secretNames = secretHeaders(headers);
  return secretsOf(
    url,
    secretValues.map((secret) => secret.value),
    headerValues.filter(([name]) => secretNames.includes(name)).map(([, value]) => value),
  );
}

function outcomeOf(policy: RetryPolicy, result: SendResult): Outcome {
  // A status that was read decides, even if the rest of the response broke off.
  if (result.statusCode !== null) return classifyStatus(policy, result.statusCode);
  return classifyError(result.error ?? "unknown_error");
}

/** Longest header text that an attempt keeps for the operator. */
const keptTextLength = 256;

function retryAfter(
  policy: RetryPolicy,
  outcome: Outcome,
  result: SendResult,
  secrets: readonly string[],
): Pick<Attempt, "retryAfterSeconds" | "retryAfterText" | "retryAfterClamped"> {
  const text = headerValue(result, "retry-after");
  if (text === undefined || outcome !== "retryable") return { retryAfterSeconds: null };
  const seconds = parseRetryAfter(text, result.startedAtMs + result.durationMs);
  const kept = { retryAfterText: maskSecrets(Buffer.from(text), secrets).toString().slice(0, 64) };
  if (seconds === null) return { retryAfterSeconds: null, ...kept };
  const clamped = seconds > policy.retryAfterCapSeconds ? { retryAfterClamped: true } : {};
  return { retryAfterSeconds: Math.round(seconds * 1000) / 1000, ...kept, ...clamped };
}

function redirectLocation(result: SendResult, secrets: readonly string[]): Pick<Attempt, "location"> {
  const redirected = result.statusCode !== null && result.statusCode >= 300 && result.statusCode < 400;
  const location = redirected ? headerValue(result, "location") : undefined;
  if (location === undefined) return {};
  return { location: maskSecrets(Buffer.from(location), secrets).toString().slice(0, keptTextLength) };
}

function requestId(result: SendResult, secrets: readonly string[]): Pick<Attempt, "requestId"> {
  const id = requestIdOf(result.responseHeaders);
  return id === null ? {} : { requestId: maskSecrets(Buffer.from(id), secrets).toString() };
}

function headerValue(result: SendResult, name: string): string | undefined {
  return result.responseHeaders.find(([header]) => header === name)?.[1];
}
