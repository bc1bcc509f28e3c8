import { clientTlsProblems } from "../../core/client-tls.js";
import type { ClientTls, CustomHeaders } from "../../core/model.js";
import { headerSecretName, isLiveSecret, tlsKeyName } from "../../core/sealed-secrets.js";
import { newSigningSecret } from "../../core/standard-webhooks.js";
import type { AdminContext } from "./context.js";
import type { SecretValues } from "./ports.js";
import { type FieldProblem, invalidRequest } from "./problem.js";
import type { SubscriptionInput } from "./schemas.js";
import { type SecretSet, secretSet } from "./secrets.js";

/**
 * What of a subscription's request is secret, and becomes of what is sealed already: a signing secret, the values of
 * secret headers, the key of the client certificate. What is left out stays.
 */
export interface SubscriptionSecrets extends SecretSet {
  /** Set when the relay made a signing secret up. */
  readonly generated?: string;
}

/** Throws the 400 that says what is missing: a secret that is neither given nor stored, a key of another certificate. */
export function subscriptionSecrets(
  context: AdminContext,
  input: SubscriptionInput,
  known: SecretSet,
  storedTls: ClientTls | null = null,
): SubscriptionSecrets {
  const { refs, values, generated } = signingSecrets(context, input, known);
  const headers = headerValues(input.headers, known.values);
  const key = input.tls?.key ?? known.values[tlsKeyName];
  const isNewCertificate = input.tls?.certificate !== storedTls?.certificate;
  const problems = [
    ...headers.problems,
    ...tlsProblems(input, input.tls?.certificate === undefined ? input.tls?.key : key, isNewCertificate, context.now()),
  ];
  if (problems.length > 0) throw invalidRequest(problems);
  const keyValue = input.tls?.certificate === undefined || key === undefined ? {} : { [tlsKeyName]: key };
  return {
    refs,
    values: { ...values, ...headers.values, ...keyValue },
    ...(generated === undefined ? {} : { generated }),
  };
}

/** The headers without what is secret of them, as they are stored and shown. */
export function publicHeaders(headers: SubscriptionInput["headers"]): CustomHeaders | null {
  const entries = Object.entries(headers ?? {});
  if (entries.length === 0) return null;
  const shown = entries.map(([name, value]) => [name, typeof value === "string" ? value : { secret: true }]);
  return Object.fromEntries(shown) as CustomHeaders;
}

/** The same for TLS: without its key. */
export function publicTls(tls: SubscriptionInput["tls"]): ClientTls | null {
  const { key: _sealed, ...shown } = tls ?? {};
  return Object.keys(shown).length === 0 ? null : (shown as ClientTls);
}

/** The given one, else those that are there, else a new one: whatever is signed has a secret. */
function signingSecrets(
  context: AdminContext,
  { signing, signingSecret }: SubscriptionInput,
  known: SecretSet,
): SubscriptionSecrets {
  const stored = { refs: known.refs, values: valuesOf(known) };
  const [newest] = known.refs;
  // Saying the newest one again is no change: what a rotation leaves its time keeps it.
  const isNewest = newest !== undefined && known.values[newest.id] === signingSecret;
  if (signingSecret !== undefined && !isNewest) return secretSet(context, [signingSecret], withoutEnds(stored));
  if (signing === "off" || known.refs.length > 0) return stored;
  const generated = newSigningSecret(context.entropy(32));
  return { ...secretSet(context, [generated]), generated };
}

/** The same set as if none of them had an end: one that is taken up again has none. */
const withoutEnds = ({ refs, values }: SecretSet): SecretSet => ({
  refs: refs.map(({ id, createdAtMs }) => ({ id, createdAtMs })),
  values,
});

/** The values of the signing secrets alone. */
const valuesOf = ({ refs, values }: SecretSet): SecretValues =>
  Object.fromEntries(refs.flatMap(({ id }) => (values[id] === undefined ? [] : [[id, values[id]]])));

/** The same set without the signing secrets whose time is over; everything else that is sealed stays. */
export function withoutExpired({ refs, values }: SecretSet, nowMs: number): SecretSet {
  const over = refs.filter((ref) => !isLiveSecret(ref, nowMs)).map(({ id }) => id);
  return {
    refs: refs.filter(({ id }) => !over.includes(id)),
    values: Object.fromEntries(Object.entries(values).filter(([name]) => !over.includes(name))),
  };
}

function headerValues(headers: SubscriptionInput["headers"], known: SecretValues) {
  const problems: FieldProblem[] = [];
  const values: Record<string, string> = {};
  for (const [name, header] of Object.entries(headers ?? {})) {
    if (typeof header === "string") continue;
    const value = header.value ?? known[headerSecretName(name)];
    if (value === undefined) problems.push({ field: `headers.${name}.value`, reason: "is required: none is stored" });
    else values[headerSecretName(name)] = value;
  }
  return { values, problems };
}

function tlsProblems(
  { tls, url }: SubscriptionInput,
  key: string | undefined,
  isNewCertificate: boolean,
  nowMs: number,
): readonly FieldProblem[] {
  if (publicTls(tls) === null && tls?.key === undefined) return [];
  const { certificate, ca } = tls ?? {};
  const given = { ...(certificate === undefined ? {} : { certificate }), ...(ca === undefined ? {} : { ca }), key };
  const plain = /^http:/i.test(url) ? [{ field: "tls", reason: "goes with an https URL only" }] : [];
  return [...plain, ...clientTlsProblems(given, isNewCertificate ? nowMs : null)];
}
