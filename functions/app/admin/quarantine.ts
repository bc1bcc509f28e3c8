import { packContent, unpackContent } from "../../core/content.js";
import { releasedEventId } from "../../core/ids.js";
import type { EventMeta, Quarantine, Release } from "../../core/model.js";
import { explainVerification } from "../../core/verification/explain.js";
import type { VerifiableRequest } from "../../core/verification/scheme.js";
import { verify } from "../../core/verification/verify.js";
import { eventMessage } from "../ingress/event-message.js";
import { identify, readType } from "../ingress/identity.js";
import { withEvidence } from "../ingress/verify-request.js";
import type { OpenSource, StoredEvent } from "../ports.js";
import type { AdminContext } from "./context.js";
import { eventSummary } from "./event-views.js";
import { requireContent, requireEvent } from "./events.js";
import { refusal, unknown } from "./problem.js";
import type { EventSummaryView, VerificationReport } from "./view-schemas.js";
import { isoTime } from "./views.js";

/** Requests that could not be verified when they came: looked at again, and let go by an operator. */

/**
 * Puts a quarantined request to its source's verification once more, with the secrets of today and at the time at which
 * it was received. It stays where it is, whatever comes of it.
 */
export async function verifyAgain(context: AdminContext, id: string): Promise<VerificationReport> {
  const { stored, source } = await requireQuarantined(context, id);
  const request = await withEvidence(context.sns, source, await requestOf(context, stored));
  const verdict = verify(source.verification, source.secretValues, request);
  return {
    eventId: id,
    verified: verdict.ok,
    verifiedBy: verdict.ok ? verdict.secretId : null,
    reason: verdict.ok ? null : verdict.reason,
    scheme: source.verification?.scheme ?? null,
    receivedAt: isoTime(request.nowMs),
    steps: [...explainVerification(source.verification, source.secretValues, request)],
  };
}

/**
 * An operator says that a quarantined request is genuine: it becomes an event as it would have when it came, with its
 * dedupe identity. Whoever says so again, or at the same time, sends the same event: it is released once.
 */
export async function release(context: AdminContext, id: string, by: string | null): Promise<EventSummaryView> {
  const { stored, source, quarantine } = await requireQuarantined(context, id);
  if (quarantine.released !== undefined) return eventSummary(stored);
  const { headers, body } = unpackContent(await packedOf(context, stored));
  const identity = identify(source, null, { headers, body }, () => releasedEventId(id));
  const event: EventMeta = {
    ...stored.event,
    ...identity,
    type: readType(source, { headers, body }),
    releasedFrom: id,
  };
  // Sent before it is noted: what breaks off in between is done again, and is the same event.
  await context.eventQueue.sendEvent(await eventMessage(context.contents, event, packContent({ headers, body })));
  const noted: Release = { atMs: context.now(), by, as: event.eventId };
  if (await context.quarantine.noteReleased(id, noted)) {
    return eventSummary({ ...stored, quarantine: { ...quarantine, released: noted } });
  }
  return eventSummary(await requireEvent(context, id));
}

interface Found {
  readonly stored: StoredEvent;
  readonly source: OpenSource;
  readonly quarantine: Quarantine;
}

async function requireQuarantined(context: AdminContext, id: string): Promise<Found> {
  const stored = requireContent(await requireEvent(context, id));
  const { quarantine, event } = stored;
  if (quarantine === undefined) {
    throw refusal(409, "not_quarantined", `Event "${id}" was accepted: there is nothing to decide about it.`);
  }
  const source = await context.sources.openSource(event.sourceId);
  if (source === null) throw unknown("unknown_source", event.sourceId);
  return { stored, source, quarantine };
}

/** The request as it came, as far as a verification looks at it. */
async function requestOf(context: AdminContext, stored: StoredEvent): Promise<VerifiableRequest> {
  const { eventId, method, receivedAtMs } = stored.event;
  const { headers, body } = unpackContent(await packedOf(context, stored));
  const {
    suffix = stored.event.suffix,
    query = stored.event.query,
    ...opened
  } = await context.quarantine.openCredentials(eventId);
  return { method, suffix, query, headers: [...headers, ...opened.headers], body, nowMs: receivedAtMs };
}

const packedOf = async ({ contents }: AdminContext, { content }: StoredEvent): Promise<Buffer> =>
  content.at === "inline" ? content.packed : contents.get(content.key);
