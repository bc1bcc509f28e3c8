import { createHash } from "node:crypto";
import { packContent } from "../../core/content.js";
import { freshEventId } from "../../core/ids.js";
import type { EventMeta } from "../../core/model.js";
import { storableHeaders } from "../../core/outbound-headers.js";
import { restContent } from "../delivery/stored-content.js";
import type { ContentStore, OpenSource, QuarantineStore, UnverifiedRequest } from "../ports.js";
import { readType } from "./identity.js";
import type { KeptAside, ProviderRequest } from "./inbound-request.js";

/**
 * Requests of a source that are kept a day (UTC): enough to see what is wrong with a secret, and no more than a few
 * hundred items and bodies while nobody looks, however many a forger sends.
 */
const mostQuarantinedPerDay = 100;

/** Longest reason that is kept, in characters. */
const longestReason = 256;

export interface QuarantinePorts {
  readonly quarantine: () => Promise<QuarantineStore>;
  readonly contents: ContentStore;
  /** At least 10 random bytes. */
  readonly entropy: () => Buffer;
}

/**
 * Keeps a request that could not be verified, under a fresh id and without a dedupe key: a forged request never takes
 * the identity of a real event. Never rejects: the provider is told 401 whatever becomes of this.
 */
export async function keepAside(
  ports: QuarantinePorts,
  source: OpenSource,
  request: ProviderRequest,
  { reason, nowMs }: { readonly reason: string; readonly nowMs: number },
): Promise<KeptAside> {
  try {
    const quarantine = await ports.quarantine();
    const countToday = await quarantine.countUnverified(source.sourceId, nowMs, mostQuarantinedPerDay);
    if (countToday > mostQuarantinedPerDay) return { kept: false, countToday };
    const eventId = freshEventId(nowMs, ports.entropy());
    const event = metaOf(eventId, source, request, nowMs);
    await quarantine.keep({
      event,
      reason: reason.slice(0, longestReason),
      ...(await partsOf(ports, source, request, event)),
    });
    return { kept: true, eventId };
  } catch (error) {
    return { kept: false, error };
  }
}

function metaOf(eventId: string, source: OpenSource, request: ProviderRequest, receivedAtMs: number): EventMeta {
  const { method, suffix, query, body } = request;
  return {
    eventId,
    sourceId: source.sourceId,
    method,
    suffix,
    query,
    type: readType(source, request),
    receivedAtMs,
    bodySha256: createHash("sha256").update(body).digest("hex"),
    bodyBytes: body.length,
    verifiedBy: null,
    dedupeKey: null,
  };
}

/** The request's content, brought to rest, and the credentials that are no part of it. */
async function partsOf(
  { contents }: QuarantinePorts,
  { verification, secretValues }: OpenSource,
  { headers: received, body }: ProviderRequest,
  event: EventMeta,
): Promise<Pick<UnverifiedRequest, "content" | "credentials">> {
  const kept = storableHeaders(received, verification);
  // A token may stand in another header than the one that the verification names: that is how it came here.
  const headers = kept.filter(([, value]) => !secretValues.some((secret) => holds(value, secret.value)));
  const shown = new Set(headers.map(([name]) => name));
  // What is left out because of the verification alone is what it looks at: without it nobody could verify it again.
  const credentials = storableHeaders(received, null).filter(([name]) => !shown.has(name));
  const packed = packContent({ headers, body });
  return { content: await restContent({ contents }, event, { at: "inline", packed }), credentials };
}

/** Shorter secrets are words, which headers hold anyway. */
const leastSecretLength = 8;

/** True when a header's value holds the secret, as it is or as basic authentication writes it. */
const holds = (value: string, secret: string): boolean =>
  secret.length >= leastSecretLength &&
  [secret, Buffer.from(secret).toString("base64")].some((text) => value.includes(text));
