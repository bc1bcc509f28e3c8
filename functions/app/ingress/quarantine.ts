import { createHash } from "node:crypto";
import { packContent } from "../../core/content.js";
import { freshEventId } from "../../core/ids.js";
import type { EventMeta } from "../../core/model.js";
import { storableHeaders } from "../../core/outbound-headers.js";
import { restContent } from "../delivery/stored-content.js";
import type { ContentRef, ContentStore, Credentials, OpenSource, QuarantineStore } from "../ports.js";
import { readType } from "./identity.js";
import type { KeptAside, ProviderRequest } from "./inbound-request.js";
import { withoutCredentials } from "./without-credentials.js";

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
    const shown = withoutCredentials(source, request);
    const event = metaOf(eventId, source, shown, nowMs);
    await quarantine.keep({
      event,
      content: await contentOf(ports, source, shown, event),
      reason: reason.slice(0, longestReason),
      credentials: credentialsOf(request, shown),
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

/** The request's content, brought to rest. */
async function contentOf(
  { contents }: QuarantinePorts,
  { verification }: OpenSource,
  { headers, body }: ProviderRequest,
  event: EventMeta,
): Promise<ContentRef> {
  const packed = packContent({ headers: storableHeaders(headers, verification), body });
  return restContent({ contents }, event, { at: "inline", packed });
}

/** What of the request is not shown: without it nobody could verify it again. */
function credentialsOf(received: ProviderRequest, shown: ProviderRequest): Credentials {
  const names = new Set(shown.headers.map(([name]) => name.toLowerCase()));
  return {
    headers: storableHeaders(received.headers, null).filter(([name]) => !names.has(name)),
    ...(received.suffix === shown.suffix ? {} : { suffix: received.suffix }),
    ...(received.query === shown.query ? {} : { query: received.query }),
  };
}
