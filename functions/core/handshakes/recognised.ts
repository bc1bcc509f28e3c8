import type { Headers } from "../model.js";

/** What of a request tells a handshake from an event. */
export interface HandshakeRequest {
  /** Upper-case HTTP method. */
  readonly method: string;
  /** Raw query string without `?`. */
  readonly query: string;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** What an answer may be made of. */
export interface HandshakeSecrets {
  /** Value of the secret that verified the request; null where nothing is verified. */
  readonly verifiedBy: string | null;
  /** The token that the source's owner gave to Meta; null: there is none. */
  readonly verifyToken: string | null;
}

/** What a handshake comes to. `refused`: why, for the operator's log only. */
export type HandshakeReply =
  /** 200 with this text, as plain text. */
  | { readonly echo: string }
  /** 200 with this object. */
  | { readonly json: Readonly<Record<string, string>> }
  /** 200 without a body. `note`: for the operator's log. */
  | { readonly noted: string }
  /** 200 without a body, once a GET of this URL was answered with 2xx. */
  | { readonly confirm: string }
  | { readonly refused: string };

/** A request that is a handshake. */
export interface RecognisedHandshake {
  /** True: the provider signs it, so that the source's verification comes first. */
  readonly signed: boolean;
  /** Called once the signature, where there is one, is verified. */
  reply(secrets: HandshakeSecrets): HandshakeReply;
}
