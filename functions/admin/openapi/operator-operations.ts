import type { ProblemCode } from "../../app/admin/problem.js";
import { auditQuerySchema, pageQuerySchema } from "../../app/admin/schemas.js";
import type { Operation } from "./operation.js";
import * as examples from "./operator-examples.js";

const write: readonly ProblemCode[] = ["malformed_json", "invalid_request", "body_too_large", "unsupported_media_type"];
const list: readonly ProblemCode[] = ["invalid_request", "invalid_cursor"];
const stored: readonly ProblemCode[] = ["unknown_event", "not_yet_processed"];

/** Of the routes in `operator-routes.ts`. */
export const operatorOperations = {
  replayDelivery: {
    summary: "Delivers an event again: a new delivery of a final one",
    description:
      "To the original's subscription, or to any other live one. The same Idempotency-Key gives the same replay. `webhook-id` stays what it is for event and subscription.",
    body: { schema: "ReplayInput", example: {}, optional: true },
    idempotencyKey: true,
    answers: [
      { status: 201, description: "The replay.", schema: "Delivery", example: examples.replay, location: true },
    ],
    problems: [
      ...write,
      "unknown_delivery",
      "unknown_subscription",
      "not_final",
      "target_deleted",
      "too_many_replays",
      "idempotency_key_used",
      "content_expired",
      "erased",
    ],
  },
  cancelDelivery: {
    summary: "Ends an open delivery without a further attempt",
    description:
      "It is dead-lettered as `cancelled`: not on the dead-letter queue, no alarm, left out of bulk replays. May be repeated.",
    emptyJson: true,
    answers: [{ status: 200, description: "It has ended.", schema: "Delivery", example: examples.cancelled }],
    problems: [...write, "unknown_delivery", "already_final", "attempt_under_way", "changed_meanwhile"],
  },
  testSubscription: {
    summary: "Sends a test event to this subscription only",
    description: "Whatever its types and filter say: an ordinary event with one delivery, signed as any other.",
    body: { schema: "TestEventInput", example: { type: "steadyhook.test" }, optional: true },
    answers: [
      {
        status: 202,
        description: "It is on its way.",
        schema: "TestEvent",
        example: examples.testEvent,
        location: true,
      },
    ],
    problems: [...write, "unknown_subscription"],
  },
  eraseEvent: {
    summary: "Erases what was sent and what was answered",
    description:
      "Headers, body, path suffix, query and previews go; ids, times and states stay. Open deliveries are cancelled first. May be repeated.",
    answers: [{ status: 200, description: "It is erased.", schema: "Erasure", example: examples.erasure }],
    problems: [...stored, "attempt_under_way", "changed_meanwhile"],
  },
  listReplays: {
    summary: "Bulk replays, newest first",
    query: pageQuerySchema,
    answers: [
      {
        status: 200,
        description: "A page of them.",
        schema: "ReplayPage",
        example: { items: [examples.bulkReplay], cursor: null },
      },
    ],
    problems: list,
  },
  createReplay: {
    summary: "Replays many deliveries, at a pace",
    description:
      "Those that the filter takes and that ended before the request, oldest first; what has been replayed is skipped unless `includeReplayed`. With `dryRun` nothing happens.",
    body: { schema: "ReplayJobInput", example: examples.replayJobInput },
    answers: [
      { status: 200, description: "dryRun: what would happen.", schema: "DryRun", example: examples.dryRun },
      {
        status: 201,
        description: "It is under way.",
        schema: "Replay",
        example: examples.bulkReplay,
        location: true,
      },
    ],
    problems: [...write, "unknown_subscription", "too_many_subscriptions", "too_many_running"],
  },
  getReplay: {
    summary: "A bulk replay, and how far it has come",
    answers: [{ status: 200, description: "The bulk replay.", schema: "Replay", example: examples.bulkReplay }],
    problems: ["unknown_replay"],
  },
  changeReplay: {
    summary: "Pauses or resumes a bulk replay, or changes its pace",
    body: { schema: "ReplayChange", example: { state: "paused" } },
    answers: [
      {
        status: 200,
        description: "Changed.",
        schema: "Replay",
        example: { ...examples.bulkReplay, state: "paused" },
      },
    ],
    problems: [...write, "unknown_replay", "replay_ended"],
  },
  cancelReplay: {
    summary: "Ends a bulk replay",
    description: "What it has replayed stays replayed. Deliveries that are under way are not cancelled.",
    answers: [
      {
        status: 200,
        description: "It has ended.",
        schema: "Replay",
        example: {
          ...examples.bulkReplay,
          state: "cancelled",
          secondsLeft: null,
          endedAt: examples.bulkReplay.updatedAt,
        },
      },
    ],
    problems: ["unknown_replay", "replay_ended"],
  },
  listAudit: {
    summary: "Who changed what through this API, newest first",
    description: "Every write, done or refused. A page may be short, or empty, and still have a cursor.",
    query: auditQuerySchema,
    answers: [
      {
        status: 200,
        description: "A page of the trail.",
        schema: "AuditPage",
        example: { items: [examples.auditEntry], cursor: null },
      },
    ],
    problems: list,
  },
} as const satisfies Readonly<Record<string, Operation>>;
