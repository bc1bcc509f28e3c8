import * as v from "valibot";

/** Handshakes and answers of a source, as the admin API accepts and shows them. */

const plainKinds = v.picklist(["slack", "zoom", "graph", "twitch", "dropbox"]);

const topicArn = v.pipe(
  v.string(),
  v.regex(
    /^arn:aws[a-z-]*:sns:[a-z0-9-]{1,32}:\d{12}:[A-Za-z0-9_-]{1,256}(\.fifo)?$/,
    "must be a topic's ARN, such as arn:aws:sns:eu-central-1:111122223333:orders",
  ),
);

/** The token that Meta was given: any text, as long as a query may carry it. */
export const longestVerifyToken = 1_024;

const verifyToken = v.pipe(
  v.string(),
  v.minLength(1, "must not be empty"),
  v.maxLength(longestVerifyToken, `must have at most ${longestVerifyToken} characters`),
);

export const handshakeSchema = v.variant("kind", [
  v.strictObject({ kind: plainKinds }),
  v.strictObject({
    kind: v.literal("meta"),
    /** Write-only; left out in a change: the stored one stays. */
    verifyToken: v.optional(verifyToken),
  }),
  v.strictObject({ kind: v.literal("sns"), topicArn: v.nullish(topicArn, null) }),
]);

export const answerSchema = v.picklist(["event-id", "empty", "twiml"]);

export const handshakeView = v.variant("kind", [
  v.strictObject({ kind: plainKinds }),
  v.strictObject({
    kind: v.literal("meta"),
    verifyToken: v.pipe(
      v.strictObject({
        id: v.string(),
        createdAt: v.pipe(v.string(), v.isoTimestamp(), v.metadata({ format: "date-time" })),
      }),
      v.description("Its id only: the token is never shown."),
    ),
  }),
  v.strictObject({ kind: v.literal("sns"), topicArn: v.nullable(v.string()) }),
]);

export type HandshakeInput = v.InferOutput<typeof handshakeSchema>;
export type HandshakeView = v.InferOutput<typeof handshakeView>;
