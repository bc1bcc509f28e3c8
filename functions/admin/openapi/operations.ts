import type { ProblemCode } from "../../app/admin/problem.js";
import { deliveryQuerySchema, eventQuerySchema, pageQuerySchema } from "../../app/admin/schemas.js";
import { statsQuerySchema } from "../../app/admin/stats-schemas.js";
import type { AnswerName } from "./components.js";
import * as examples from "./examples.js";
import type { Answer, Operation } from "./operation.js";
import { operatorOperations } from "./operator-operations.js";
import * as samples from "./sample-examples.js";

const ok = (schema: AnswerName, example: unknown, description: string): Answer => ({
  status: 200,
  description,
  schema,
  example,
});
const versioned = (schema: AnswerName, example: unknown, description: string): Answer => ({
  ...ok(schema, example, description),
  etag: true,
});
const created = (schema: AnswerName, example: unknown): Answer => ({
  ...versioned(schema, example, "Created."),
  status: 201,
  location: true,
});
const deleted: readonly Answer[] = [{ status: 204, description: "Deleted." }];

const list: readonly ProblemCode[] = ["invalid_request", "invalid_cursor"];
const write: readonly ProblemCode[] = ["malformed_json", "invalid_request", "body_too_large", "unsupported_media_type"];

const source = examples.source;
const subscription = examples.subscription;

/** By their names, which the route table refers to. */
export const operations = {
  listSources: {
    summary: "Sources, by id",
    query: pageQuerySchema,
    answers: [ok("SourcePage", examples.pageWith(source), "A page of sources.")],
    problems: list,
  },
  createSource: {
    summary: "Creates a source",
    description: "With an id of the caller's choice (`sourceId`), or with a fresh one.",
    body: { schema: "SourceInput", example: examples.sourceInput },
    answers: [created("Source", source)],
    problems: [...write, "already_exists"],
  },
  getSource: {
    summary: "A source",
    answers: [versioned("Source", source, "The source.")],
    problems: ["unknown_source"],
  },
  putSource: {
    summary: "Creates or replaces a source",
    description: "Secrets that are left out stay as they are. Saying what is there already changes nothing.",
    conditional: "put",
    body: { schema: "SourceInput", example: examples.sourceInput },
    answers: [{ ...versioned("Source", source, "Created."), status: 201 }, versioned("Source", source, "Replaced.")],
    problems: [...write, "changed_meanwhile", "version_mismatch", "already_exists"],
  },
  patchSource: {
    summary: "Changes a source (RFC 7396)",
    description: "Null takes a field away. Secrets that are left out stay as they are.",
    conditional: true,
    body: { schema: "SourcePatch", example: { description: "Orders", dedupe: null } },
    answers: [versioned("Source", source, "Changed.")],
    problems: [...write, "unknown_source", "changed_meanwhile", "version_mismatch"],
  },
  deleteSource: {
    summary: "Deletes a source",
    description: "Refused while it has subscriptions.",
    conditional: true,
    answers: deleted,
    problems: ["unknown_source", "has_subscriptions", "changed_meanwhile", "version_mismatch"],
  },
  verifySample: {
    summary: "Puts a saved request to a source's verification, step by step",
    description:
      "With the source's own secrets. Changes nothing: it is no event, and is neither stored nor delivered. `hints` say what would make it verify.",
    body: { schema: "SampleInput", example: samples.sampleInput },
    answers: [ok("SampleReport", samples.sampleReport, "What came of it.")],
    problems: [...write, "unknown_source"],
  },
  listSubscriptions: {
    summary: "Subscriptions of a source, by their creation",
    query: pageQuerySchema,
    answers: [ok("SubscriptionPage", examples.pageWith(subscription), "A page of subscriptions.")],
    problems: [...list, "unknown_source"],
  },
  createSubscription: {
    summary: "Creates a subscription",
    description: "Without `signingSecret` the relay makes one, and shows it in this answer only.",
    body: { schema: "SubscriptionInput", example: examples.subscriptionInput },
    answers: [created("Subscription", subscription)],
    problems: [...write, "unknown_source", "name_taken"],
  },
  putSubscription: {
    summary: "Creates or replaces a subscription by its name",
    description:
      "Without `signingSecret` the stored one stays. Status and id stay. Saying what is there already changes nothing.",
    conditional: "put",
    body: { schema: "SubscriptionInput", example: examples.subscriptionInput },
    answers: [created("Subscription", subscription), versioned("Subscription", subscription, "Replaced.")],
    problems: [...write, "unknown_source", "changed_meanwhile", "version_mismatch", "already_exists"],
  },
  getSubscription: {
    summary: "A subscription",
    answers: [versioned("Subscription", subscription, "The subscription.")],
    problems: ["unknown_subscription"],
  },
  patchSubscription: {
    summary: "Changes a subscription (RFC 7396)",
    description: "Null brings a default back. Without `signingSecret` the stored one stays.",
    conditional: true,
    body: { schema: "SubscriptionPatch", example: { url: "https://warehouse.example/v2/hooks", policy: null } },
    answers: [versioned("Subscription", subscription, "Changed.")],
    problems: [...write, "unknown_subscription", "name_taken", "changed_meanwhile", "version_mismatch"],
  },
  deleteSubscription: {
    summary: "Deletes a subscription",
    description: "Its open deliveries end as `subscription_deleted`.",
    conditional: true,
    answers: deleted,
    problems: ["unknown_subscription", "changed_meanwhile", "version_mismatch"],
  },
  pauseSubscription: {
    summary: "Parks the subscription's deliveries from now on",
    description: "No attempt is made or counted until it is resumed. May be repeated.",
    conditional: true,
    emptyJson: true,
    answers: [
      versioned("Subscription", { ...subscription, status: "paused", statusReason: "operator" }, "It is paused."),
    ],
    problems: [...write, "unknown_subscription", "changed_meanwhile", "version_mismatch"],
  },
  resumeSubscription: {
    summary: "Makes the subscription active and releases what is parked",
    description:
      "Also one that a 410 disabled. Parked deliveries go out in the order of their receipt. May be repeated.",
    conditional: true,
    emptyJson: true,
    answers: [versioned("Subscription", subscription, "It is active.")],
    problems: [...write, "unknown_subscription", "changed_meanwhile", "version_mismatch"],
  },
  rotateSecret: {
    summary: "Gives the subscription a new signing secret",
    description:
      "The old ones sign beside it for `overlapSeconds` (default a day); 0 ends them at once. Without `signingSecret` the relay makes one, and shows it in this answer only. Takes effect within 10 s.",
    conditional: true,
    body: { schema: "Rotation", example: { overlapSeconds: 86_400 } },
    answers: [versioned("Subscription", examples.rotatedSubscription, "It signs with both.")],
    problems: [...write, "unknown_subscription", "too_many_secrets", "changed_meanwhile", "version_mismatch"],
  },
  revokeSecret: {
    summary: "Ends one of several signing secrets at once",
    conditional: true,
    answers: [versioned("Subscription", subscription, "It no longer signs.")],
    problems: ["unknown_subscription", "unknown_secret", "last_secret", "changed_meanwhile", "version_mismatch"],
  },
  listDeliveries: {
    summary: "Deliveries, newest first",
    description:
      "A page may be short, or empty, and still have a cursor. What began within the last second may be missing.",
    query: deliveryQuerySchema,
    answers: [ok("DeliveryPage", examples.pageWith(examples.delivery), "A page of deliveries, without previews.")],
    problems: [...list, "too_many_subscriptions"],
  },
  getDelivery: {
    summary: "A delivery with every attempt",
    answers: [ok("Delivery", examples.delivery, "The delivery.")],
    problems: ["unknown_delivery"],
  },
  listEvents: {
    summary: "Events, newest first",
    description:
      "Without `state` all of them, each once its first delivery has begun. A page may be short, or empty, and still have a cursor.",
    query: eventQuerySchema,
    answers: [ok("EventPage", examples.pageWith(examples.eventSummary), "A page of events, without headers.")],
    problems: [...list, "too_many_sources", "too_many_subscriptions"],
  },
  getEvent: {
    summary: "An event with its headers and deliveries",
    answers: [ok("Event", examples.event, "The event.")],
    problems: ["unknown_event", "not_yet_processed", "content_expired"],
  },
  getEventBody: {
    summary: "An event's body, byte for byte",
    answers: [
      { status: 200, description: "A download, whatever type the sender gave it.", bytes: true },
      { status: 302, description: "Above 4 MB: where to download it, within minutes.", location: true },
    ],
    problems: ["unknown_event", "not_yet_processed", "content_expired", "erased"],
  },
  verifyEvent: {
    summary: "Verifies a quarantined event again",
    description:
      "Under the source's present secrets, at the time of its receipt, step by step. It stays quarantined either way.",
    emptyJson: true,
    answers: [ok("VerificationReport", examples.verificationReport, "What was found.")],
    problems: [
      ...write,
      "unknown_event",
      "not_yet_processed",
      "content_expired",
      "erased",
      "unknown_source",
      "not_quarantined",
    ],
  },
  releaseEvent: {
    summary: "Releases a quarantined event: an operator says that it is genuine",
    description:
      "It takes its dedupe identity and is delivered as an accepted event, `releasedAs`. May be repeated: it is released once.",
    emptyJson: true,
    answers: [ok("EventSummary", examples.releasedEvent, "It is released.")],
    problems: [
      ...write,
      "unknown_event",
      "not_yet_processed",
      "content_expired",
      "erased",
      "unknown_source",
      "not_quarantined",
    ],
  },
  listFaults: {
    summary: "Faults that wait, newest first",
    description: "Messages that the relay itself could not process. They do not expire before they are sent back.",
    query: pageQuerySchema,
    answers: [ok("FaultPage", examples.pageWith(examples.faultSummary), "A page of faults, without their messages.")],
    problems: list,
  },
  getFault: {
    summary: "A fault with the beginning of its message",
    answers: [ok("Fault", examples.fault, "The fault.")],
    problems: ["unknown_fault"],
  },
  redriveFault: {
    summary: "Sends a fault's message back to its queue",
    description: "Under the identity that it had: an attempt that it had begun is its own to go on with.",
    emptyJson: true,
    answers: [ok("FaultSummary", { ...examples.faultSummary, redrivenAt: "2026-01-31T13:00:00.000Z" }, "Sent back.")],
    problems: [...write, "unknown_fault", "already_redriven"],
  },
  previewPolicy: {
    summary: "What a policy comes to, without a subscription",
    description:
      "Changes nothing. When each attempt is made if all fail, when that ends, and which answers are retried.",
    body: { schema: "PolicyPreviewInput", example: examples.policyPreviewInput },
    answers: [ok("PolicyPreview", examples.policyPreview, "The ladder, with the bands of its jitter.")],
    problems: write,
  },
  getStats: {
    summary: "How much is open, and how much waits",
    description:
      "Counts end at a bound (`atLeast`), depths are SQS's estimates; `window` and `series` come from the metrics.",
    query: statsQuerySchema,
    answers: [ok("Stats", examples.stats, "Now.")],
    problems: ["invalid_request"],
  },
  getOpenApi: {
    summary: "This document",
    answers: [{ status: 200, description: "OpenAPI 3.1.", schema: "OpenApi" }],
    problems: [],
  },
  ...operatorOperations,
} satisfies Readonly<Record<string, Operation>>;

export type OperationName = keyof typeof operations;
