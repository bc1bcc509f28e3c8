/**
 * The domain's words as types. One idea, one name: the same names stand in the API, the table, the CLI and the docs.
 * Times are epoch milliseconds (`…Ms`), durations are seconds (`…Seconds`) unless the name says otherwise.
 */

/** `active` delivers; `paused` and `disabled` park. `disabled` is set by a 410 answer or by an operator. */
export type SubscriptionStatus = "active" | "paused" | "disabled";

/** `delivered` and `dead_lettered` are final: a replay is a new delivery. `parked` is left only by a claim. */
export type DeliveryStatus = "pending" | "attempting" | "retry_scheduled" | "parked" | "delivered" | "dead_lettered";

/** What one attempt came to. `unknown`: the function died between claim and record; the request may have arrived. */
export type Outcome = "delivered" | "retryable" | "permanent" | "unknown";

/** Why a delivery will get no further attempt. The last two are never put on the dead-letter queue. */
export type DeadLetterReason =
  | "permanent"
  | "exhausted"
  | "max_age"
  | "retention"
  | "blocked"
  | "cancelled"
  | "subscription_deleted";

/** A typed transport error: what kept a request from getting an answer. Values are stable API. */
export type TransportError =
  | "dns"
  | "refused"
  | "unreachable"
  | "connect_timeout"
  | "read_timeout"
  | "deadline"
  | "tls_expired"
  | "tls_self_signed"
  | "tls_name"
  | "tls_protocol"
  | "tls_weak"
  | "tls_client_certificate"
  | "reset"
  | "protocol"
  | "response_too_large"
  | "blocked_address"
  | "blocked_port"
  | "invalid_header"
  | "unknown_error";

/** A header list as it travels: lower-case names, repeated headers joined by comma, in the order received. */
export type Headers = ReadonlyArray<readonly [name: string, value: string]>;

/** One accepted request, without its body (see {@link EventContent}). */
export interface EventMeta {
  readonly eventId: string;
  readonly sourceId: string;
  /** Upper-case HTTP method. */
  readonly method: string;
  /** Path after `/in/{sourceId}`, decoded as the gateway hands it over; empty or starting with `/`. */
  readonly suffix: string;
  /** Raw query string without `?`; empty when absent. */
  readonly query: string;
  /** Dotted type, or null when the source has no rule or the rule found nothing. */
  readonly type: string | null;
  readonly receivedAtMs: number;
  /** Hex SHA-256 over the raw body bytes. */
  readonly bodySha256: string;
  readonly bodyBytes: number;
  /**
   * Id (never the value) of the secret that verified the request, or the name of the certificate that did; null when
   * the source does not verify.
   */
  readonly verifiedBy: string | null;
  /** The provider's event id that the identity was derived from; null: the id is fresh. */
  readonly dedupeKey: string | null;
  /** Why the source's dedupe rule found no key, so that the id is fresh; absent: there is a key, or no rule. */
  readonly dedupeMissed?: ValueMiss;
  /** The quarantined event that an operator released as this one. */
  readonly releasedFrom?: string;
}

/**
 * Why a rule found nothing: no such header or member (null, empty and structured ones too), a body that is not JSON,
 * or a text that could not be kept as it is.
 */
export type ValueMiss = "no_value" | "not_json" | "too_long" | "not_text";

/** What is kept of a request that could not be verified, beside what every event has. */
export interface Quarantine {
  /** Why it was not verified when it came. */
  readonly reason: string;
  /** Present once an operator said that it is genuine. */
  readonly released?: Release;
}

/** By whom and when a quarantined event was released. */
export interface Release {
  readonly atMs: number;
  /** Who signed the request to the admin API; null where nobody has to. */
  readonly by: string | null;
  /** The event that it became. */
  readonly as: string;
}

/** What an event carries: the headers that may be stored, and the body byte for byte. */
export interface EventContent {
  readonly headers: Headers;
  readonly body: Buffer;
}

/** Milliseconds each phase took; absent when the attempt did not get that far or re-used a connection. */
export interface Timings {
  readonly dnsMs?: number;
  readonly connectMs?: number;
  readonly tlsMs?: number;
  readonly firstByteMs?: number;
}

/** One HTTP request and what came of it. */
export interface Attempt {
  /** From 1. */
  readonly number: number;
  readonly startedAtMs: number;
  /** Delay before this attempt as the policy planned it, jitter included; 0 for the first. */
  readonly delaySeconds: number;
  readonly outcome: Outcome;
  readonly statusCode: number | null;
  readonly error: TransportError | null;
  /** A sentence for the operator; never a secret. */
  readonly errorDetail?: string;
  /** Null when the outcome is `unknown`. */
  readonly durationMs: number | null;
  /** The delay that the destination asked for, parsed; null when absent or invalid. */
  readonly retryAfterSeconds: number | null;
  /** The header's text, cut to 64 characters. */
  readonly retryAfterText?: string;
  /** True when the cap shortened what the destination asked for. */
  readonly retryAfterClamped?: boolean;
  /** Address that was connected to. */
  readonly address?: string;
  readonly timings?: Timings;
  /** First bytes of the response body, base64; `previewCut` when there was more. */
  readonly preview?: string;
  readonly previewCut?: boolean;
  /** Location of a 3xx answer (never followed). */
  readonly location?: string;
  /** What the destination calls the request, for a question to its owner: see `requestIdOf`. */
  readonly requestId?: string;
}

/** The exclusive right to make one attempt, until the lease ends. */
export interface Claim {
  readonly attempt: number;
  /** Random; the record is conditional on it. */
  readonly token: string;
  readonly leaseUntilMs: number;
  /** Id of the SQS message that took the claim: only that message, received again, may repair the delivery. */
  readonly guard: string;
  readonly startedAtMs: number;
  readonly delaySeconds: number;
}

/** One event to one subscription, with every attempt. */
export interface Delivery {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly sourceId: string;
  readonly subscriptionId: string;
  readonly status: DeliveryStatus;
  /** Number of the last attempt that was claimed; 0 before the first. */
  readonly attemptsStarted: number;
  /** Recorded attempts that are kept: the first 5 and the last 95. */
  readonly attempts: readonly Attempt[];
  /** Recorded attempts that are no longer kept, those between the first 5 and the last 95. */
  readonly attemptsDropped: number;
  /** The claim of the last attempt; stays after the record, so that a lost answer can be told from a lost claim. */
  readonly claim: Claim | null;
  readonly bodySha256: string;
  /** When the event was received: the age that `maxAgeSeconds` (but of a replay) and the retention count from. */
  readonly receivedAtMs: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** When the next attempt is due; null unless `retry_scheduled` (or parked out of it). */
  readonly nextAttemptAtMs: number | null;
  /** The planned delay that leads to `nextAttemptAtMs`. */
  readonly nextDelaySeconds: number | null;
  readonly deadLetterReason: DeadLetterReason | null;
  /** The delivery that this one is a replay of; null: it is an event's first. */
  readonly replayOf: string | null;
  /** Ids of its replays in the order in which they were asked for; one whose making broke off has no item. Absent: none. */
  readonly replayedAs?: readonly string[];
  /** When its event was erased: previews and the body's hash went with it. */
  readonly erasedAtMs?: number;
  /** While parked: when the wait is over whatever the gate does, by the time budget or the retention; else null. */
  readonly parkedUntilMs: number | null;
}

/** Delay curve. `n` = attempts made so far. */
export type Schedule =
  | { readonly kind: "exponential" | "linear" | "fixed"; readonly baseSeconds: number }
  | { readonly kind: "table"; readonly delaysSeconds: readonly number[] };

/** `strict`: retry-best-practices. `lenient`: notification-retry-rules. */
export type RuleSet = "strict" | "lenient";

/** A complete retry policy: presets and system defaults applied, nothing optional left. */
export interface RetryPolicy {
  readonly schedule: Schedule;
  /** Upper bound of a computed delay, applied before jitter; null: none (the default of tables). */
  readonly capSeconds: number | null;
  /** ± fraction of the delay, uniform; 0 ≤ jitter ≤ 1. Default 0.2. */
  readonly jitter: number;
  readonly maxAttempts: number;
  /** Total time budget from the event's receipt; null: none. */
  readonly maxAgeSeconds: number | null;
  readonly rules: RuleSet;
  /** Status codes that retry although the rule set says no. Win over `neverRetry` never: naming one in both is an error. */
  readonly retryOn: readonly number[];
  readonly neverRetry: readonly number[];
  readonly retryAfterCapSeconds: number;
  /** A 410 answer disables the subscription and parks its deliveries. Default true in strict, false in lenient. */
  readonly disableOnGone: boolean;
}

export interface Timeouts {
  /** Limit for DNS, TCP and TLS together. Default 15. */
  readonly connectSeconds: number;
  /** Longest silence while waiting for or reading the response. Default 60. */
  readonly readSeconds: number;
}

/** When a subscription's circuit opens, and how long it stays open before the destination is asked again. */
export interface CircuitSettings {
  /** Retryable failures in a row that open it. Default 5; 1 under `notification-rules`. */
  readonly failureThreshold: number;
  /** Share of a minute's attempts that fail, from which it opens as well; null: only failures in a row count. Default null. */
  readonly failureRate: number | null;
  /** Attempts that a minute must have for its failure rate to count. Default 20. */
  readonly minimumAttempts: number;
  /** Shortest time from one probe to the next. Default 15. */
  readonly cooldownSeconds: number;
  /** Longest time from one probe to the next. Default 900. */
  readonly maxCooldownSeconds: number;
}

/** Where a value is read from in a request. `pointer` is an RFC 6901 JSON pointer into the body. */
export type ValueRule =
  | { readonly from: "header"; readonly name: string }
  | { readonly from: "json"; readonly pointer: string };

/** How the requests of a source prove who sent them: see the registry in `verification/schemes.ts`. */
export type VerificationScheme =
  | "github"
  | "stripe"
  | "shopify"
  | "slack"
  | "standard-webhooks"
  | "twilio"
  | "paddle"
  | "square"
  | "hubspot"
  | "sendgrid"
  | "zoom"
  | "gitlab"
  | "discord"
  | "linear"
  | "mailgun"
  | "hmac"
  | "basic"
  | "header-token"
  | "sns"
  | "iam";

/** How a source's requests are verified; secrets live sealed beside it, here only their ids. */
export interface Verification {
  readonly scheme: VerificationScheme;
  readonly onFailure: "quarantine" | "reject";
  /** How far a signed time may be off, in either direction; absent: the scheme's default. */
  readonly toleranceSeconds?: number;
  /** For schemes that sign the URL: the source's https URL as the provider knows it, without query. */
  readonly publicUrl?: string;
  /** How a key is written in its secret; absent: the scheme's default. */
  readonly secretEncoding?: SecretEncoding;
  readonly hmac?: HmacOptions;
  readonly headerToken?: HeaderTokenOptions;
  /** Scheme sns: the only topic whose messages are taken; absent: any topic of any account. */
  readonly topicArn?: string;
}

/** `utf8`: the secret's text as it stands is the key. */
export type SecretEncoding = "utf8" | "base64" | "base64url" | "hex";

/** The generic scheme: an HMAC in one header. What is left out is as in the comment. */
export interface HmacOptions {
  readonly header: string;
  /** Text before the digest, e.g. `sha256=`; default empty. */
  readonly prefix: string;
  readonly algorithm: "sha256" | "sha1" | "sha512";
  readonly encoding: "hex" | "base64" | "base64url";
  /** What is signed, from `{timestamp}`, `{id}`, `{url}`, `{method}`, `{header:NAME}` and `{body}`; else `{body}`. */
  readonly content?: string;
  /** Header with the time in digits; with it the time is checked. */
  readonly timestampHeader?: string;
  /** Default `seconds`. */
  readonly timestampUnit?: "seconds" | "milliseconds";
  /** Header with `{id}`. */
  readonly idHeader?: string;
  /** `wire` (default): the body as it came; `decoded`: without its `content-encoding`. */
  readonly covers?: "wire" | "decoded";
}

/** A header whose whole value is the secret. */
export interface HeaderTokenOptions {
  readonly header: string;
}

/**
 * What a provider asks before it sends events, answered at once and not kept. Meta's verify token is sealed with the
 * source's other secrets.
 */
export type Handshake =
  | { readonly kind: "slack" | "zoom" | "graph" | "sns" | "twitch" | "dropbox" }
  | { readonly kind: "meta"; readonly verifyToken: SecretRef };

/**
 * What an accepted event is answered with: 202 and its id, 200 without a body, 204, or 200 with TwiML that does nothing.
 */
export type AnswerKind = "event-id" | "empty" | "no-content" | "twiml";

/** A secret's public half. */
export interface SecretRef {
  readonly id: string;
  readonly createdAtMs: number;
  /** From then on it neither signs nor verifies; absent: it has no end. */
  readonly expiresAtMs?: number;
}

/**
 * Headers of a subscription's own by lower-case name. Values of secret ones are sealed with its other secrets, here it
 * only stands that there is one.
 */
export type CustomHeaders = Readonly<Record<string, string | { readonly secret: true }>>;

/** How a subscription's connections prove who they are, and whom they trust. All PEM; the key is sealed. */
export interface ClientTls {
  /** The client's certificate, with its intermediates after it. */
  readonly certificate?: string;
  /** Authorities that are trusted instead of the public ones. */
  readonly ca?: string;
}

/** A value that a filter compares with; `number` is one as it is written, for those that JavaScript would round. */
export type FilterValue = string | number | boolean | null | { readonly number: string };

/** What a condition asks of the value that it finds. `prefix` is of texts; null exists. */
export type FilterTest =
  | { readonly equals: FilterValue }
  | { readonly oneOf: readonly FilterValue[] }
  | { readonly prefix: string }
  | { readonly exists: boolean };

/** One question about an event: about a header, or about the value that a JSON pointer leads to in the body. */
export type FilterCondition = ({ readonly header: string } | { readonly json: string }) & FilterTest;

/** Which events a subscription takes, of those whose type it takes. */
export type Filter =
  | { readonly all: readonly Filter[] }
  | { readonly any: readonly Filter[] }
  | { readonly not: Filter }
  | FilterCondition;

export interface Source {
  readonly sourceId: string;
  readonly description: string | null;
  readonly verification: Verification | null;
  readonly handshake: Handshake | null;
  readonly answer: AnswerKind;
  readonly dedupe: ValueRule | null;
  readonly eventType: ValueRule | null;
  /** Those of the verification. */
  readonly secrets: readonly SecretRef[];
  readonly version: number;
  readonly managedBy: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface Subscription {
  readonly subscriptionId: string;
  readonly sourceId: string;
  /** Unique in its source; null when the caller gave none. */
  readonly name: string | null;
  readonly description: string | null;
  readonly url: string;
  readonly policy: RetryPolicy;
  readonly timeouts: Timeouts;
  readonly circuit: CircuitSettings;
  readonly maxPerSecond: number | null;
  /** Type patterns, e.g. `invoice.*`; null = every event. */
  readonly types: readonly string[] | null;
  /** Asked after `types`; null = every event. */
  readonly filter: Filter | null;
  readonly forwardSuffix: boolean;
  readonly signing: "standard-webhooks" | "off";
  /** Newest first: the order in which they sign. */
  readonly secrets: readonly SecretRef[];
  readonly headers: CustomHeaders | null;
  readonly tls: ClientTls | null;
  /** Set when deleted: the item stays as a tombstone, so that its open deliveries can be ended. */
  readonly deletedAtMs: number | null;
  readonly version: number;
  readonly managedBy: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** A message that our own code could not process: kept until somebody sends it back. */
export interface Fault {
  readonly faultId: string;
  /** Queue that the message came from, and goes back to. */
  readonly queue: "delivery" | "control";
  /** A sentence: what was wrong with it, as far as we know. */
  readonly cause: string;
  /** Id under which the message was first received: a claim that it holds is still its own when it comes back. */
  readonly messageId: string;
  readonly faultedAtMs: number;
  /** How often it has come here: after each redrive that failed again, and as a copy. Counted by the table, from 1. */
  readonly times: number;
  /** When it was last sent back; null while it waits. */
  readonly redrivenAtMs: number | null;
  /** What the message names, where it can be read. */
  readonly eventId: string | null;
  readonly deliveryId: string | null;
  readonly subscriptionId: string | null;
}

/** The one item per subscription that holds what changes at run time. */
export interface Gate {
  readonly subscriptionId: string;
  readonly sourceId: string;
  readonly status: SubscriptionStatus;
  /** Why it is not active, e.g. `gone` after a 410; null otherwise. */
  readonly statusReason: string | null;
  /** Counts every change of what is passable; releases and probes are fenced by it. */
  readonly generation: number;
  /** Deliveries may be parked here: the sweeper sees to their release until one has found nothing left. */
  readonly holdsParked: boolean;
  /** When its status or circuit was last changed. */
  readonly changedAtMs: number;
  /** Version of the subscription that an operator last moved the gate with: no older one is acted by. Absent: never. */
  readonly subscriptionVersion?: number;
  /** Its attempts hang: until then its deliveries take the slow lane. Absent: they never did. */
  readonly slowUntilMs?: number;
  /** Present while the circuit is not closed. */
  readonly circuit?: OpenCircuit;
  /** What the attempts of this generation came to, as far as it matters. Absent: nothing to count. */
  readonly counts?: OutcomeCounts;
  /** The destination asked for a pause (`Retry-After`): until then deliveries are parked. */
  readonly heldUntilMs?: number;
  /** With `maxPerSecond`: when the next request may start; all earlier slots are taken. */
  readonly nextFreeAtMs?: number;
  /** The chain of ticks that drives probes and releases. Absent: there never was one. */
  readonly tick?: TickState;
  /** The release that the ticks work on, or the last one: its pace is where the next one begins. */
  readonly release?: ReleaseState;
}

/** A circuit that lets nothing pass but probes: *half open* while one is under way, else *open*. */
export interface OpenCircuit {
  /** When the outage was noticed; failed probes do not change it. */
  readonly openedAtMs: number;
  /** From then on the next probe may be made. */
  readonly probeAtMs: number;
  /** The delivery whose attempt is the probe, until when it is waited for, and when the probe before it was made. */
  readonly probe?: { readonly deliveryId: string; readonly untilMs: number; readonly probedBeforeAtMs?: number };
  /** Probes made so far, and when the last one was. */
  readonly probes: number;
  readonly probedAtMs?: number;
  /** Probes in a row that the destination answered with a permanent refusal: it is there, and takes nothing. */
  readonly refusedProbes: number;
}

/** Outcomes of one generation of a gate. */
export interface OutcomeCounts {
  /** Retryable failures since the last success. */
  readonly inARow: number;
  /** All retryable failures, and all attempts as far as they were told: by these a release sees that it is too fast. */
  readonly failures: number;
  readonly attempts: number;
  /** Attempts and failures of one minute (epoch minutes), for the failure rate. */
  readonly minute: number;
  readonly minuteAttempts: number;
  readonly minuteFailures: number;
}

/** Which tick is the next one: every other is a copy, or belongs to a chain that has been replaced. */
export interface TickState {
  readonly seq: number;
  /** The gate's generation that the chain was started in. */
  readonly generation: number;
  /** When it is due: one that is long overdue has been lost. Null: the chain has done its work. */
  readonly dueAtMs: number | null;
  /** Id of the message that worked on the tick before it, and may have died in the middle: it may repeat its sends. */
  readonly by: string | null;
}

/** How far a release has come, and how fast it goes. */
export interface ReleaseState {
  readonly startedAtMs: number;
  /** Parked deliveries that were sent to their next attempt, over all passes. */
  readonly released: number;
  /** Where the page before the last one ended: what the last tick sent lies between `from` and `after`. */
  readonly from: string | null;
  readonly after: string | null;
  /** Deliveries of the last page that were sent at once, and others, which stay parked for now. */
  readonly page?: { readonly sentAtOnce: number; readonly others: number };
  /** Deliveries sent in this pass; a pass that finds none ends the release. */
  readonly sent: number;
  /** The second pass is the last one: what is parked after it is left to the sweeper, which comes ever more rarely. */
  readonly lastPass: boolean;
  /** When it was done with its work; absent while it goes on. */
  readonly endedAtMs?: number;
  readonly pace: Pace;
}

/** How many parked deliveries a second are let go. */
export interface Pace {
  readonly perSecond: number;
  /** Nothing has been refused yet: the pace grows fast. */
  readonly isSearching: boolean;
  /** The gate's counts as they were looked at last. */
  readonly attemptsSeen: number;
  readonly failuresSeen: number;
}
