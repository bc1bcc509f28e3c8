import { listAudit } from "../app/admin/audit.js";
import { cancelDelivery } from "../app/admin/cancel-delivery.js";
import { eraseEvent } from "../app/admin/erase-event.js";
import { parse } from "../app/admin/parse.js";
import { replayDelivery } from "../app/admin/replay-delivery.js";
import {
  cancelReplay,
  changeReplay,
  createReplay,
  dryRunReplay,
  findReplay,
  isDryRun,
  listReplays,
} from "../app/admin/replays.js";
import { auditQuerySchema, pageQuerySchema } from "../app/admin/schemas.js";
import { sendTestEvent } from "../app/admin/test-event.js";
import { json } from "./answer.js";
import { queryObject } from "./request.js";
import type { Route } from "./route.js";

/** What an operator does when something has gone wrong, and who did what. */
export const operatorRoutes: readonly Route[] = [
  {
    operation: "replayDelivery",
    method: "POST",
    path: "/admin/deliveries/{deliveryId}/replay",
    writes: "delivery.replay",
    run: async (context, request, id) => {
      const replay = await replayDelivery(context, id, request.optionalBody(), request.idempotencyKey);
      return json(201, replay, { location: `/admin/deliveries/${replay.deliveryId}` });
    },
  },
  {
    operation: "cancelDelivery",
    method: "POST",
    path: "/admin/deliveries/{deliveryId}/cancel",
    writes: "delivery.cancel",
    run: async (context, request, id) => {
      request.requireNoFields();
      return json(200, await cancelDelivery(context, id));
    },
  },
  {
    operation: "testSubscription",
    method: "POST",
    path: "/admin/subscriptions/{subscriptionId}/test",
    writes: "subscription.test",
    run: async (context, request, id) => {
      const sent = await sendTestEvent(context, id, request.optionalBody());
      return json(202, sent, { location: `/admin/deliveries/${sent.deliveryId}` });
    },
  },
  {
    operation: "eraseEvent",
    method: "DELETE",
    path: "/admin/events/{eventId}",
    writes: "event.erase",
    run: async (context, _request, id) => json(200, await eraseEvent(context, id)),
  },
  {
    operation: "listReplays",
    method: "GET",
    path: "/admin/replays",
    takesParameters: true,
    run: async (context, { query }) =>
      json(200, await listReplays(context, parse(pageQuerySchema, queryObject(query)))),
  },
  {
    operation: "createReplay",
    method: "POST",
    path: "/admin/replays",
    writes: (request) => (isDryRun(request.body()) ? null : "replay.create"),
    run: async (context, request) => {
      const body = request.body();
      if (isDryRun(body)) return json(200, await dryRunReplay(context, body));
      const replay = await createReplay(context, body, request);
      return json(201, replay, { location: `/admin/replays/${replay.replayId}` });
    },
  },
  {
    operation: "getReplay",
    method: "GET",
    path: "/admin/replays/{replayId}",
    run: async (context, _request, id) => json(200, await findReplay(context, id)),
  },
  {
    operation: "changeReplay",
    method: "PATCH",
    path: "/admin/replays/{replayId}",
    writes: "replay.change",
    run: async (context, request, id) => json(200, await changeReplay(context, id, request.body())),
  },
  {
    operation: "cancelReplay",
    method: "DELETE",
    path: "/admin/replays/{replayId}",
    writes: "replay.cancel",
    run: async (context, _request, id) => json(200, await cancelReplay(context, id)),
  },
  {
    operation: "listAudit",
    method: "GET",
    path: "/admin/audit",
    takesParameters: true,
    run: async (context, { query }) => json(200, await listAudit(context, parse(auditQuerySchema, queryObject(query)))),
  },
];
