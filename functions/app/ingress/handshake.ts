import { recogniseHandshake } from "../../core/handshakes/handshake.js";
import type { HandshakeReply } from "../../core/handshakes/recognised.js";
import type { Handshake } from "../../core/model.js";
import { verify } from "../../core/verification/verify.js";
import type { OpenSource } from "../ports.js";
import type { ProviderRequest, Refused } from "./inbound-request.js";

/** What a provider is told that asked before it sends events. */
export type AnsweredHandshake = Exclude<HandshakeReply, { readonly refused: string }>;

/** A handshake that was answered. */
export interface Shaken {
  readonly handshake: Handshake["kind"];
  readonly reply: AnsweredHandshake;
}

/**
 * Answers a request that is a handshake of the source's kind; null: it is an event. Nothing of it is kept, also when
 * it is refused. Where the provider signs its handshakes the source's verification comes first.
 */
export function shakeHands(source: OpenSource, request: ProviderRequest, nowMs: number): Shaken | Refused | null {
  const { handshake, verification, secretValues, verifyToken } = source;
  const recognised = handshake === null ? null : recogniseHandshake(handshake, request);
  if (handshake === null || recognised === null) return null;
  const verdict = recognised.signed ? verify(verification, secretValues, { ...request, nowMs }) : unsigned;
  if (!verdict.ok) return { refused: "unverified", reason: verdict.reason };
  const verifiedBy = secretValues.find(({ id }) => id === verdict.secretId)?.value ?? null;
  const reply = recognised.reply({ verifiedBy, verifyToken });
  return "refused" in reply
    ? { refused: "handshake_refused", reason: reply.refused }
    : { handshake: handshake.kind, reply };
}

const unsigned = { ok: true, secretId: null } as const;
