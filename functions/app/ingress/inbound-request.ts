import type { Headers } from "../../core/model.js";

/** A request at `/in/{sourceId}`: from a provider, with whatever it sends. */
export interface ProviderRequest {
  readonly door: "in";
  readonly sourceId: string;
  readonly method: string;
  readonly suffix: string;
  readonly query: string;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** A request at `/publish/{sourceId}`: from a service of the operator, already authorised by the gateway. */
export interface PublishRequest {
  readonly door: "publish";
  readonly sourceId: string;
  readonly headers: Headers;
  readonly body: Buffer;
}

export type InboundRequest = ProviderRequest | PublishRequest;

/** Why a request became no event. `reason` is for the operator's log only. */
export interface Refused {
  readonly refused:
    | "unknown_source"
    | "publish_only"
    | "unverified"
    | "handshake_refused"
    | "content_encoding"
    | "invalid_event_type"
    | "invalid_idempotency_key";
  readonly reason?: string;
  /** What became of a request that could not be verified; absent: the source keeps none. */
  readonly quarantine?: KeptAside;
}

/** Whether a request was put into quarantine; `countToday`: how many of its source there were, when that is too many. */
export type KeptAside =
  | { readonly kept: true; readonly eventId: string }
  | { readonly kept: false; readonly countToday: number }
  | { readonly kept: false; readonly error: unknown };
