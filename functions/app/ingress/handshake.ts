import { recogniseHandshake } from "../../core/handshakes/handshake.js";
import type { HandshakeReply } from "../../core/handshakes/recognised.js";
import type { Handshake } from "../../core/model.js";
import type { OpenSource } from "../ports.js";
import type { ProviderRequest, Refused } from "./inbound-request.js";
import { type SnsAccess, verifyRequest } from "./verify-request.js";

/** What a provider is told that asked before it sends events. */
export type AnsweredHandshake = Exclude<HandshakeReply, { readonly refused: string }>;

/** A handshake that was answered. */
export interface Shaken {
  readonly handshake: Handshake["kind"];
  readonly reply: AnsweredHandshake;
}

/**
 * Answers a request that is a handshake of the source's kind; null: it is an event. Nothing of it is kept, also when
 * it is refused. Where the provider signs its handshakes the source's verification comes first. Rejects when SNS could
 * not be asked.
 */
export async function shakeHands(
  sns: SnsAccess,
  source: OpenSource,
  request: ProviderRequest,
  nowMs: number,
): Promise<Shaken | Refused | null> {
  const { handshake, secretValues, verifyToken } = source;
  const recognised = handshake === null ? null : recogniseHandshake(handshake, request);
  if (handshake === null || recognised === null) return null;
  const verdict = recognised.signed ? await verifyRequest(sns, source, { ...request, nowMs }) : unsigned;
  if (!verdict.ok) return { refused: "unverified", reason: verdict.reason };
  const verifiedBy = secretValues.find(({ id }) => id === verdict.secretId)?.value ?? null;
  const reply = recognised.reply({ verifiedBy, verifyToken });
  if ("refused" in reply) return { refused: "handshake_refused", reason: reply.refused };
  if ("confirm" in reply) await (await sns()).confirm(reply.confirm);
  return { handshake: handshake.kind, reply };
}

const unsigned = { ok: true, secretId: null } as const;
