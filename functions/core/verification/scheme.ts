import type { Headers, Verification } from "../model.js";
import type { Trace } from "./trace.js";

/** The request as it came: no byte trimmed, decoded or inflated. */
export interface VerifiableRequest {
  /** Upper-case HTTP method. */
  readonly method: string;
  /** Path after `/in/{sourceId}`, decoded as the gateway hands it over; empty or starting with `/`. */
  readonly suffix: string;
  /** Raw query string without `?`. */
  readonly query: string;
  readonly headers: Headers;
  readonly body: Buffer;
  /** For schemes that sign a timestamp. */
  readonly nowMs: number;
  /** For the scheme sns: the certificate (PEM) that the message names, fetched; absent or null: there is none. */
  readonly certificatePem?: string | null;
}

/** A secret with its value opened. */
export interface OpenSecret {
  readonly id: string;
  readonly value: string;
}

/** What is wrong with a field, and how to put it right; never shows a secret. */
export interface FieldProblem {
  readonly field: string;
  readonly reason: string;
}

/** Options of a verification that belong to some schemes only. */
export type SchemeOption = "toleranceSeconds" | "publicUrl" | "secretEncoding" | "hmac" | "headerToken" | "topicArn";

/** What a scheme looks at: a sound configuration, at least one sound secret, the request; and where it notes it. */
export interface Walk {
  readonly verification: Verification;
  readonly secrets: readonly OpenSecret[];
  readonly request: VerifiableRequest;
  /** How far a signed time may be off, in either direction; 0 where the scheme signs none. */
  readonly toleranceSeconds: number;
  readonly trace: Trace;
}

/** One way of verification. Pure, over raw bytes; nothing that a request holds makes it throw. */
export interface Scheme {
  /** One line for a list: where the proof stands and what it covers. */
  readonly summary: string;
  /** What a secret of it is; null: it takes none. */
  readonly secret: string | null;
  /** Tolerance when the source names none; null: it signs no time. */
  readonly defaultToleranceSeconds: number | null;
  /** Options that a source must give. */
  readonly requires: readonly SchemeOption[];
  /** Options that it may give. */
  readonly allows: readonly SchemeOption[];
  /** What is wrong with its own options, when those that it requires are there. */
  readonly problems?: (verification: Verification) => FieldProblem[];
  /** What is wrong with a secret, without naming any part of it; null when it is sound. */
  readonly secretProblem: (value: string, verification: Verification) => string | null;
  /**
   * Notes each step in the trace and gives the id of the secret that matched, or null. The request is verified when
   * there is an id and no step has failed: a stale timestamp does not end the walk, so that an explanation goes on.
   */
  readonly check: (walk: Walk) => string | null;
}
