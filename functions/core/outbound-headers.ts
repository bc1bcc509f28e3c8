import { endsAtRelay } from "./droppable-headers.js";
import { headerName } from "./header-list.js";
import type { Headers, Subscription, Verification } from "./model.js";
import { signatureHeader } from "./standard-webhooks.js";

/** What one attempt's headers are made from. */
export interface OutboundHeadersInput {
  /** The event's headers, as received or as stored. */
  readonly received: Headers;
  readonly verification: Verification | null;
  readonly signing: Subscription["signing"];
  /** Stable per event and subscription, replays included: the receiver's key against duplicates. */
  readonly webhookId: string;
  readonly eventId: string;
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  /** When the event was received, the same on every attempt: a receiver can drop what is older than what it has. */
  readonly receivedAtMs: number;
  /** Epoch seconds at which this attempt is sent. */
  readonly timestampSeconds: number;
  readonly body: Buffer;
  /** All live signing secrets; unused with signing `off`. */
  readonly secrets: readonly string[];
  /** The subscription's own headers: they take the place of received ones. Default: none. */
  readonly custom?: Headers;
}

/**
 * The headers that are kept with an event: end-to-end ones only, names in lower case, no credential among them. The
 * rest could never be sent, so it need not be stored either.
 */
export function storableHeaders(received: Headers, verification: Verification | null): Headers {
  const ends = endsAtRelay(received, verification);
  return received
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => headerName.test(name) && !ends(name));
}

/**
 * All headers of one attempt; the sender adds Host, Content-Length and Connection and nothing else.
 *
 * End-to-end headers pass through. With signing on, inbound `webhook-*` become `steadyhook-original-*` and the relay's
 * own `webhook-id`, `webhook-timestamp` and `webhook-signature` take their place; with signing `off` they pass as they
 * are, for a receiver that verifies the provider itself. Always ours: `steadyhook-attempt`, `steadyhook-event-id`,
 * `steadyhook-received-at` (ISO 8601), `accept-encoding: identity`, and a `user-agent` when the provider sent none.
 */
export function outboundHeaders(input: OutboundHeadersInput): Headers {
  const { custom = [] } = input;
  const endToEnd = storableHeaders(input.received, input.verification).map(
    ([name, value]) => [input.signing === "off" ? name : originalName(name), legalValue(value)] as const,
  );
  const passed = [...endToEnd.filter(([name]) => !custom.some(([own]) => own === name)), ...custom];
  return [...passed, ...agentHeader(passed), ...ownHeaders(input), ...signatureHeaders(input)];
}

const originalName = (name: string): string => name.replace(/^webhook-/, "steadyhook-original-");

/** Firewalls refuse requests without one (AWS WAF's NoUserAgent_HEADER among them); the provider's own stays. */
function agentHeader(passed: Headers): Headers {
  return passed.some(([name]) => name === "user-agent") ? [] : [["user-agent", "Steadyhook"]];
}

function ownHeaders(input: OutboundHeadersInput): Headers {
  return [
    // The response preview must be readable, and is never inflated.
    ["accept-encoding", "identity"],
    ["steadyhook-event-id", input.eventId],
    ["steadyhook-attempt", String(input.attempt)],
    ["steadyhook-received-at", new Date(input.receivedAtMs).toISOString()],
  ];
}

function signatureHeaders(input: OutboundHeadersInput): Headers {
  if (input.signing === "off") return [];
  const { webhookId: id, timestampSeconds, body, secrets } = input;
  return [
    ["webhook-id", id],
    ["webhook-timestamp", String(timestampSeconds)],
    ["webhook-signature", signatureHeader({ secrets, id, timestampSeconds, body })],
  ];
}

/**
 * A value that Node sends without throwing. Latin-1 goes out as it came; text beyond it as its UTF-8 bytes; control
 * characters, which could end the header, become spaces.
 */
function legalValue(value: string): string {
  const bytes = /^[\0-\xff]*$/.test(value) ? value : Buffer.from(value, "utf8").toString("latin1");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about.
  return bytes.replace(/[\0-\x08\x0a-\x1f\x7f]/g, " ");
}
