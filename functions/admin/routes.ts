import type { AdminContext } from "../app/admin/context.js";
import { findDelivery, listDeliveries } from "../app/admin/deliveries.js";
import { findEvent, findEventBody } from "../app/admin/events.js";
import { parse } from "../app/admin/parse.js";
import { pauseSubscription, resumeSubscription } from "../app/admin/pause.js";
import { deliveryQuerySchema, pageQuerySchema } from "../app/admin/schemas.js";
import { changeSource, createSource, deleteSource, findSource, listSources, putSource } from "../app/admin/sources.js";
import {
  changeSubscription,
  createSubscription,
  deleteSubscription,
  findSubscription,
  listSubscriptions,
} from "../app/admin/subscriptions.js";
import { etagOf } from "../app/admin/versions.js";
import { attachment, type HttpAnswer, json, noContent, redirect } from "./answer.js";
import { type AdminRequest, queryObject } from "./request.js";

/** One operation: what it is called in the log, and how it is run. `id` is the path's parameter, if it has one. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  /** Set on every route that writes: each such call leaves one line in the log. */
  readonly writes?: string;
  readonly run: (context: AdminContext, request: AdminRequest, id: string) => Promise<HttpAnswer>;
}

export const routes: readonly Route[] = [
  {
    method: "GET",
    path: "/admin/sources",
    run: async (context, { query }) =>
      json(200, await listSources(context, parse(pageQuerySchema, queryObject(query)))),
  },
  {
    method: "POST",
    path: "/admin/sources",
    writes: "source.create",
    run: async (context, request) => {
      const source = await createSource(context, request.body());
      return versioned(201, source, { location: `/admin/sources/${source.sourceId}` });
    },
  },
  {
    method: "GET",
    path: "/admin/sources/{id}",
    run: async (context, _request, id) => versioned(200, await findSource(context, id)),
  },
  {
    method: "PUT",
    path: "/admin/sources/{id}",
    writes: "source.put",
    run: async (context, request, id) => {
      const { created, source } = await putSource(context, id, request.body(), request.ifMatch);
      return versioned(created ? 201 : 200, source);
    },
  },
  {
    method: "PATCH",
    path: "/admin/sources/{id}",
    writes: "source.change",
    run: async (context, request, id) =>
      versioned(200, await changeSource(context, id, request.body(), request.ifMatch)),
  },
  {
    method: "DELETE",
    path: "/admin/sources/{id}",
    writes: "source.delete",
    run: async (context, { ifMatch }, id) => {
      await deleteSource(context, id, ifMatch);
      return noContent;
    },
  },
  {
    method: "GET",
    path: "/admin/sources/{id}/subscriptions",
    run: async (context, { query }, id) =>
      json(200, await listSubscriptions(context, id, parse(pageQuerySchema, queryObject(query)))),
  },
  {
    method: "POST",
    path: "/admin/sources/{id}/subscriptions",
    writes: "subscription.create",
    run: async (context, request, id) => {
      const subscription = await createSubscription(context, id, request.body());
      return versioned(201, subscription, { location: `/admin/subscriptions/${subscription.subscriptionId}` });
    },
  },
  {
    method: "GET",
    path: "/admin/subscriptions/{id}",
    run: async (context, _request, id) => versioned(200, await findSubscription(context, id)),
  },
  {
    method: "PATCH",
    path: "/admin/subscriptions/{id}",
    writes: "subscription.change",
    run: async (context, request, id) =>
      versioned(200, await changeSubscription(context, id, request.body(), request.ifMatch)),
  },
  {
    method: "DELETE",
    path: "/admin/subscriptions/{id}",
    writes: "subscription.delete",
    run: async (context, { ifMatch }, id) => {
      await deleteSubscription(context, id, ifMatch);
      return noContent;
    },
  },
  {
    method: "POST",
    path: "/admin/subscriptions/{id}/pause",
    writes: "subscription.pause",
    run: async (context, request, id) => {
      request.requireJson();
      return versioned(200, await pauseSubscription(context, id));
    },
  },
  {
    method: "POST",
    path: "/admin/subscriptions/{id}/resume",
    writes: "subscription.resume",
    run: async (context, request, id) => {
      request.requireJson();
      return versioned(200, await resumeSubscription(context, id));
    },
  },
  {
    method: "GET",
    path: "/admin/deliveries",
    run: async (context, { query }) =>
      json(200, await listDeliveries(context, parse(deliveryQuerySchema, queryObject(query)))),
  },
  {
    method: "GET",
    path: "/admin/deliveries/{id}",
    run: async (context, _request, id) => json(200, await findDelivery(context, id)),
  },
  {
    method: "GET",
    path: "/admin/events/{id}",
    run: async (context, _request, id) => json(200, await findEvent(context, id)),
  },
  {
    method: "GET",
    path: "/admin/events/{id}/body",
    run: async (context, _request, id) => {
      const answer = await findEventBody(context, id);
      return answer.at === "url" ? redirect(answer.url) : attachment(`${id}.body`, answer.body, answer.contentType);
    },
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
