import * as v from "valibot";
import { handshakeWith } from "../../functions/app/admin/handshake-schemas.js";
import { slug, sourceSchema, subscriptionSchema, tlsSchema } from "../../functions/app/admin/schemas.js";
import { verificationSchema } from "../../functions/app/admin/verification-schema.js";
import { providerNames } from "../../functions/core/providers.js";

/**
 * The file that `steadyhook apply` takes, as data: the file is checked against this schema, and `apply.schema.json`,
 * which editors read, is made from it. Its fields are those of the admin API, secrets apart.
 */

const secretRule =
  'must be {"env":"NAME"}: a secret does not belong in a file. Put it into an environment variable and name that here';

const secretFromEnvironment = v.strictObject(
  {
    env: v.pipe(
      v.string(),
      v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable"),
      v.description("Name of the environment variable that holds the secret when `apply` runs."),
    ),
  },
  secretRule,
);

const {
  subscriptionId: _made,
  sourceId: _ofTheSource,
  managedBy: _ofTheFile,
  ...subscriptionFields
} = subscriptionSchema.entries;

const subscription = v.strictObject({
  ...subscriptionFields,
  name: v.pipe(
    v.string(),
    v.regex(/^[A-Za-z0-9._-]{1,64}$/, "must have 1 to 64 characters out of A-Z, a-z, 0-9, dot, _ and -"),
    v.description("Unique in its source; by it a subscription is found again."),
  ),
  signingSecret: v.optional(secretFromEnvironment),
  headers: v.nullish(
    v.record(v.string(), v.union([v.string(), secretFromEnvironment], 'must be text, or {"env":"NAME"} for a secret')),
    null,
  ),
  tls: v.nullish(v.strictObject({ ...tlsSchema.entries, key: v.optional(secretFromEnvironment) }), null),
});

const {
  managedBy: _too,
  verification: _secretsFromEnvironment,
  handshake: _tokenFromEnvironment,
  ...sourceFields
} = sourceSchema.entries;

const source = v.strictObject({
  ...sourceFields,
  sourceId: v.pipe(slug, v.description("Part of the ingress URL; by it a source is found again.")),
  provider: v.optional(
    v.pipe(
      v.picklist(providerNames, `must be one of ${providerNames.join(", ")}`),
      v.description("Preset of a provider: what the source leaves out is taken from it; null takes a field away."),
    ),
  ),
  verification: v.nullish(
    v.strictObject({
      ...verificationSchema.entries,
      // A provider's preset has one; the reader asks for it where there is no provider.
      scheme: v.optional(verificationSchema.entries.scheme),
      secrets: v.optional(v.array(secretFromEnvironment)),
    }),
    null,
  ),
  handshake: v.nullish(handshakeWith(secretFromEnvironment), null),
  subscriptions: v.optional(v.array(subscription), []),
});

/** Marks what files without a name of their own made. */
const defaultOwner = "apply";

export const applyFileSchema = v.strictObject({
  $schema: v.optional(v.string()),
  managedBy: v.optional(
    v.pipe(
      v.string(),
      v.minLength(1, "must not be empty"),
      v.maxLength(64, "must have at most 64 characters"),
      v.description("Marks what this file makes; --prune deletes nothing else. Give each file of a relay its own."),
    ),
    defaultOwner,
  ),
  sources: v.array(source),
});

export type ApplyFile = v.InferOutput<typeof applyFileSchema>;
export type FileSource = ApplyFile["sources"][number];
export type FileSubscription = FileSource["subscriptions"][number];
