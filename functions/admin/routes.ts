import { findDelivery, listDeliveries } from "../app/admin/deliveries.js";
import { listEvents } from "../app/admin/event-lists.js";
import { findEvent, findEventBody } from "../app/admin/events.js";
import { findFault, listFaults, redrive } from "../app/admin/faults.js";
import { parse } from "../app/admin/parse.js";
import { pauseSubscription, resumeSubscription } from "../app/admin/pause.js";
import { findPolicyPreview } from "../app/admin/policy-preview.js";
import { release, verifyAgain } from "../app/admin/quarantine.js";
import { revokeSecret, rotateSecret } from "../app/admin/rotate-secret.js";
import { deliveryQuerySchema, eventQuerySchema, pageQuerySchema } from "../app/admin/schemas.js";
import { changeSource, createSource, deleteSource, findSource, listSources, putSource } from "../app/admin/sources.js";
import { findStats } from "../app/admin/stats.js";
import { statsQuerySchema } from "../app/admin/stats-schemas.js";
import {
  changeSubscription,
  createSubscription,
  deleteSubscription,
  findSubscription,
  listSubscriptions,
  putSubscription,
} from "../app/admin/subscriptions.js";
import { verifySample } from "../app/admin/verify-sample.js";
import { etagOf } from "../app/admin/versions.js";
import { attachment, type HttpAnswer, json, noContent, redirect } from "./answer.js";
import { operatorRoutes } from "./operator-routes.js";
import { queryObject } from "./request.js";
import type { Route } from "./route.js";

export const routes: readonly Route[] = [
  {
    operation: "listSources",
    method: "GET",
    path: "/admin/sources",
    takesParameters: true,
    run: async (context, { query }) =>
      json(200, await listSources(context, parse(pageQuerySchema, queryObject(query)))),
  },
  {
    operation: "createSource",
    method: "POST",
    path: "/admin/sources",
    writes: "source.create",
    run: async (context, request) => {
      const source = await createSource(context, request.body());
      return versioned(201, source, { location: `/admin/sources/${source.sourceId}` });
    },
  },
  {
    operation: "getSource",
    method: "GET",
    path: "/admin/sources/{sourceId}",
    run: async (context, _request, id) => versioned(200, await findSource(context, id)),
  },
  {
    operation: "putSource",
    method: "PUT",
    path: "/admin/sources/{sourceId}",
    writes: "source.put",
    run: async (context, request, id) => {
      const { created, source } = await putSource(context, id, request.body(), request.conditions);
      return versioned(created ? 201 : 200, source);
    },
  },
  {
    operation: "patchSource",
    method: "PATCH",
    path: "/admin/sources/{sourceId}",
    writes: "source.change",
    run: async (context, request, id) =>
      versioned(200, await changeSource(context, id, request.body(), request.conditions)),
  },
  {
    operation: "deleteSource",
    method: "DELETE",
    path: "/admin/sources/{sourceId}",
    writes: "source.delete",
    run: async (context, { conditions }, id) => {
      await deleteSource(context, id, conditions);
      return noContent;
    },
  },
  {
    operation: "verifySample",
    method: "POST",
    path: "/admin/sources/{sourceId}/verify",
    run: async (context, request, id) => json(200, await verifySample(context, id, request.body())),
  },
  {
    operation: "listSubscriptions",
    method: "GET",
    path: "/admin/sources/{sourceId}/subscriptions",
    takesParameters: true,
    run: async (context, { query }, id) =>
      json(200, await listSubscriptions(context, id, parse(pageQuerySchema, queryObject(query)))),
  },
  {
    operation: "createSubscription",
    method: "POST",
    path: "/admin/sources/{sourceId}/subscriptions",
    writes: "subscription.create",
    run: async (context, request, id) => {
      const subscription = await createSubscription(context, id, request.body());
      return versioned(201, subscription, { location: `/admin/subscriptions/${subscription.subscriptionId}` });
    },
  },
  {
    operation: "putSubscription",
    method: "PUT",
    path: "/admin/sources/{sourceId}/subscriptions/{name}",
    writes: "subscription.put",
    run: async (context, request, id, name) => {
      const put = await putSubscription(context, id, name, request.body(), request.conditions);
      const location = `/admin/subscriptions/${put.subscription.subscriptionId}`;
      return versioned(put.created ? 201 : 200, put.subscription, put.created ? { location } : {});
    },
  },
  {
    operation: "getSubscription",
    method: "GET",
    path: "/admin/subscriptions/{subscriptionId}",
    run: async (context, _request, id) => versioned(200, await findSubscription(context, id)),
  },
  {
    operation: "patchSubscription",
    method: "PATCH",
    path: "/admin/subscriptions/{subscriptionId}",
    writes: "subscription.change",
    run: async (context, request, id) =>
      versioned(200, await changeSubscription(context, id, request.body(), request.conditions)),
  },
  {
    operation: "deleteSubscription",
    method: "DELETE",
    path: "/admin/subscriptions/{subscriptionId}",
    writes: "subscription.delete",
    run: async (context, { conditions }, id) => {
      await deleteSubscription(context, id, conditions);
      return noContent;
    },
  },
  {
    operation: "pauseSubscription",
    method: "POST",
    path: "/admin/subscriptions/{subscriptionId}/pause",
    writes: "subscription.pause",
    run: async (context, request, id) => {
      request.requireNoFields();
      return versioned(200, await pauseSubscription(context, id, request.conditions));
    },
  },
  {
    operation: "resumeSubscription",
    method: "POST",
    path: "/admin/subscriptions/{subscriptionId}/resume",
    writes: "subscription.resume",
    run: async (context, request, id) => {
      request.requireNoFields();
      return versioned(200, await resumeSubscription(context, id, request.conditions));
    },
  },
  {
    operation: "rotateSecret",
    method: "POST",
    path: "/admin/subscriptions/{subscriptionId}/rotate-secret",
    writes: "subscription.rotate_secret",
    run: async (context, request, id) =>
      versioned(200, await rotateSecret(context, id, request.body(), request.conditions)),
  },
  {
    operation: "revokeSecret",
    method: "DELETE",
    path: "/admin/subscriptions/{subscriptionId}/secrets/{secretId}",
    writes: "subscription.revoke_secret",
    run: async (context, { conditions }, id, secretId) =>
      versioned(200, await revokeSecret(context, id, secretId, conditions)),
  },
  {
    operation: "listDeliveries",
    method: "GET",
    path: "/admin/deliveries",
    takesParameters: true,
    run: async (context, { query }) =>
      json(200, await listDeliveries(context, parse(deliveryQuerySchema, queryObject(query)))),
  },
  {
    operation: "getDelivery",
    method: "GET",
    path: "/admin/deliveries/{deliveryId}",
    run: async (context, _request, id) => json(200, await findDelivery(context, id)),
  },
  {
    operation: "listEvents",
    method: "GET",
    path: "/admin/events",
    takesParameters: true,
    run: async (context, { query }) =>
      json(200, await listEvents(context, parse(eventQuerySchema, queryObject(query)))),
  },
  {
    operation: "getEvent",
    method: "GET",
    path: "/admin/events/{eventId}",
    run: async (context, _request, id) => json(200, await findEvent(context, id)),
  },
  {
    operation: "getEventBody",
    method: "GET",
    path: "/admin/events/{eventId}/body",
    run: async (context, _request, id) => {
      const answer = await findEventBody(context, id);
      return answer.at === "url" ? redirect(answer.url) : attachment(`${id}.body`, answer.body, answer.contentType);
    },
  },
  {
    operation: "verifyEvent",
    method: "POST",
    path: "/admin/events/{eventId}/verify",
    run: async (context, request, id) => {
      request.requireNoFields();
      return json(200, await verifyAgain(context, id));
    },
  },
  {
    operation: "releaseEvent",
    method: "POST",
    path: "/admin/events/{eventId}/release",
    writes: "event.release",
    run: async (context, request, id) => {
      request.requireNoFields();
      return json(200, await release(context, id, request.caller));
    },
  },
  {
    operation: "listFaults",
    method: "GET",
    path: "/admin/faults",
    takesParameters: true,
    run: async (context, { query }) => json(200, await listFaults(context, parse(pageQuerySchema, queryObject(query)))),
  },
  {
    operation: "getFault",
    method: "GET",
    path: "/admin/faults/{faultId}",
    run: async (context, _request, id) => json(200, await findFault(context, id)),
  },
  {
    operation: "redriveFault",
    method: "POST",
    path: "/admin/faults/{faultId}/redrive",
    writes: "fault.redrive",
    run: async (context, request, id) => {
      request.requireNoFields();
      return json(200, await redrive(context, id));
    },
  },
  ...operatorRoutes,
  {
    operation: "previewPolicy",
    method: "POST",
    path: "/admin/policy/preview",
    run: async ({ defaults }, request) => json(200, findPolicyPreview(defaults, request.body())),
  },
  {
    operation: "getStats",
    method: "GET",
    path: "/admin/stats",
    takesParameters: true,
    run: async (context, { query }) => json(200, await findStats(context, parse(statsQuerySchema, queryObject(query)))),
  },
  {
    operation: "getOpenApi",
    method: "GET",
    path: "/admin/openapi.json",
    // A chunk of its own: whoever asks for anything else does not load it.
    run: async () => json(200, (await import("./openapi/document.js")).openApiDocument(routes)),
  },
];

/** An object that has a version shows it as its entity tag. */
function versioned(
  statusCode: number,
  object: { readonly version: number },
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  return json(statusCode, object, { etag: etagOf(object.version), ...headers });
}
