import type { OutboundRequest } from "../../functions/app/ports.js";

/** A request with generous limits: 5 s to connect, 5 s of silence, 10 s in all. `url` has no default. */
export function anOutboundRequest(
  fields: Partial<Omit<OutboundRequest, "timeouts">> &
    Pick<OutboundRequest, "url"> & { readonly timeouts?: Partial<OutboundRequest["timeouts"]> },
): OutboundRequest {
  const { timeouts, ...rest } = fields;
  return {
    method: "POST",
    headers: [["content-type", "application/json"]],
    body: Buffer.from('{"a":1}'),
    deadlineMs: Date.now() + 10_000,
    ...rest,
    timeouts: { connectSeconds: 5, readSeconds: 5, ...timeouts },
  };
}
