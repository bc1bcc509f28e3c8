import type { CustomHeaders, Headers, SecretRef, Source, Subscription } from "./model.js";

/**
 * Everything secret of an owner is sealed together. Of a source: the secrets of its verification and Meta's verify
 * token, each under its id. Of a subscription: a signing secret under its id, the value of a secret header under
 * `header:` and its name, the client certificate's key under one name of its own.
 */

type SealedParts = Pick<Subscription, "secrets" | "headers" | "tls">;

/** The name of a secret header's value. */
export const headerSecretName = (name: string): string => `header:${name}`;

/** The name of the client certificate's key. */
export const tlsKeyName = "tls:key";

/** The names under which the values of this subscription are sealed. */
export function sealedNames({ secrets, headers, tls }: SealedParts): readonly string[] {
  const keys = tls?.certificate === undefined ? [] : [tlsKeyName];
  return [...secrets.map(({ id }) => id), ...secretHeaders(headers).map(headerSecretName), ...keys];
}

/** What ingress takes from the opened values of a source. The verify token is no secret that a signature may match. */
export function openedSource(
  { secrets, handshake }: Pick<Source, "secrets" | "handshake">,
  values: Readonly<Record<string, string | undefined>>,
): {
  readonly secretValues: ReadonlyArray<{ readonly id: string; readonly value: string }>;
  readonly verifyToken: string | null;
} {
  const secretValues = secrets.flatMap(({ id }) => {
    const value = values[id];
    return value === undefined ? [] : [{ id, value }];
  });
  return { secretValues, verifyToken: handshake?.kind === "meta" ? (values[handshake.verifyToken.id] ?? null) : null };
}

/** Names under which the secrets of a source are sealed. */
export const sourceSecretNames = ({ secrets, handshake }: Pick<Source, "secrets" | "handshake">): readonly string[] => [
  ...secrets.map(({ id }) => id),
  ...(handshake?.kind === "meta" ? [handshake.verifyToken.id] : []),
];

/** Names of the headers whose values are sealed. */
export const secretHeaders = (headers: CustomHeaders | null): readonly string[] =>
  Object.entries(headers ?? {}).flatMap(([name, value]) => (typeof value === "string" ? [] : [name]));

/** A secret without an end, or before it. */
export const isLiveSecret = ({ expiresAtMs = Number.POSITIVE_INFINITY }: SecretRef, nowMs: number): boolean =>
  nowMs < expiresAtMs;

/** What an attempt takes from the opened values; signing secrets whose time is over are left out. */
export function openedParts(
  { secrets, headers }: SealedParts,
  values: Readonly<Record<string, string | undefined>>,
  nowMs: number,
): {
  readonly secretValues: ReadonlyArray<{ readonly id: string; readonly value: string }>;
  readonly headerValues: Headers;
  readonly tlsKey: string | null;
} {
  const secretValues = secrets
    .filter((secret) => isLiveSecret(secret, nowMs))
    .flatMap(({ id }) => {
      const value = values[id];
      return value === undefined ? [] : [{ id, value }];
    });
  const headerValues = Object.entries(headers ?? {}).map(
    ([name, value]) => [name, typeof value === "string" ? value : (values[headerSecretName(name)] ?? "")] as const,
  );
  return { secretValues, headerValues, tlsKey: values[tlsKeyName] ?? null };
}
