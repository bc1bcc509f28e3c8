import { acceptEvent, type IngressPorts } from "../app/ingress/accept-event.js";
import type { Metrics } from "../app/metrics.js";
import type { log } from "../shared/log.js";
import { accepted, type HttpAnswer, problem, type Refusal, shaken } from "./answers.js";
import { type GatewayRequest, readGatewayEvent } from "./gateway-event.js";
import { parseRequest } from "./http-request.js";

/** Answers one event of the gateway. Never rejects: what goes wrong on our side is a 503, so that providers retry. */
export type Ingress = (event: unknown) => Promise<HttpAnswer>;

/** The ingress function over its ports. */
export function buildIngress(ports: IngressPorts & { readonly log: typeof log; readonly metrics: Metrics }): Ingress {
  return async (event) => {
    const gateway = readGatewayEvent(event);
    const request = parseRequest(gateway);
    if ("refused" in request) return refuse(gateway, request);
    const { sourceId } = request;
    try {
      const acceptance = await acceptEvent(ports, request);
      if ("refused" in acceptance) return refuse(gateway, { sourceId, ...acceptance });
      if ("eventId" in acceptance) {
        ports.metrics.count("Accepted");
        return accepted(acceptance.eventId, acceptance.answer);
      }
      ports.log("info", "handshake answered", { kind: acceptance.handshake, sourceId, requestId: gateway.requestId });
      return shaken(acceptance.reply);
    } catch (error) {
      ports.log("error", "event not kept", { sourceId, requestId: gateway.requestId, error });
      return problem("not_durable");
    }
  };

  /** One line per refused request, without anything that it carried. */
  function refuse(gateway: GatewayRequest, refusal: Refusal): HttpAnswer {
    ports.metrics.count("Refused");
    if (refusal.quarantine?.kept === true) ports.metrics.count("Quarantined");
    ports.log("warn", "request refused", {
      code: refusal.refused,
      ...(refusal.reason === undefined ? {} : { reason: refusal.reason }),
      ...(refusal.quarantine === undefined ? {} : { quarantine: refusal.quarantine }),
      sourceId: refusal.sourceId ?? null,
      bodyBytes: gateway.bodyBytes,
      requestId: gateway.requestId,
    });
    return problem(refusal.refused);
  }
}
