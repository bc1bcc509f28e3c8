import type { SubscriptionView } from "../../functions/app/admin/view-schemas.js";
import type { FileSubscription } from "./apply-schema.js";
import type { SecretSource } from "./secrets.js";

type Document = Readonly<Record<string, unknown>>;

/** One secret of a subscription in the file: where it is read from, and where it goes in the request. */
export interface FileSecret {
  /** Path inside the subscription. */
  readonly field: string;
  readonly source: SecretSource;
  /** The relay has one for this already. */
  readonly stored: boolean;
  /** What is stored cannot be right: it belonged to something else. */
  readonly stale: boolean;
  readonly put: (document: Document, value: string) => Document;
}

/** A subscription of the file without its secrets: what it shares with what the relay shows. */
export function publicSubscription({ signingSecret: _apart, headers, tls, ...fields }: FileSubscription): Document {
  const shown = Object.entries(headers ?? {}).map(([name, value]) => {
    return [name.toLowerCase(), typeof value === "string" ? value : { secret: true }];
  });
  const { key: _sealed, ...publicTls } = tls ?? {};
  return {
    ...fields,
    ...(shown.length === 0 ? {} : { headers: Object.fromEntries(shown) }),
    ...(Object.keys(publicTls).length === 0 ? {} : { tls: publicTls }),
  };
}

/** The secrets of a subscription, held against what the relay shows of it. */
export function fileSecrets(
  { signingSecret, headers, tls }: FileSubscription,
  found: SubscriptionView | undefined,
): readonly FileSecret[] {
  return [
    ...(signingSecret === undefined ? [] : [signing(signingSecret, found)]),
    ...Object.entries(headers ?? {}).flatMap(([name, value]) =>
      typeof value === "string" ? [] : [header(name.toLowerCase(), name, value, found)],
    ),
    ...(tls?.key === undefined ? [] : [tlsKey(tls.key, tls.certificate, found)]),
  ];
}

/** One that the relay made has an id like any other, and a rotation adds one: all that shows is whether there is any. */
const signing = (source: SecretSource, found: SubscriptionView | undefined): FileSecret => ({
  field: "signingSecret",
  source,
  stored: (found?.secrets.length ?? 0) > 0,
  stale: false,
  put: (document, signingSecret) => ({ ...document, signingSecret }),
});

const header = (
  name: string,
  given: string,
  source: SecretSource,
  found: SubscriptionView | undefined,
): FileSecret => ({
  field: `headers.${given}`,
  source,
  stored: typeof found?.headers?.[name] === "object",
  stale: false,
  put: (document, value) => ({
    ...document,
    headers: { ...(document["headers"] as object), [name]: { secret: true, value } },
  }),
});

const tlsKey = (
  source: SecretSource,
  certificate: string | undefined,
  found: SubscriptionView | undefined,
): FileSecret => ({
  field: "tls.key",
  source,
  stored: found?.tls?.certificate !== undefined,
  stale: found?.tls?.certificate !== certificate,
  put: (document, key) => ({ ...document, tls: { ...(document["tls"] as object), key } }),
});
