import * as v from "valibot";

/** Handshakes and answers of a source, as the admin API accepts and shows them. */

const plainKinds = v.picklist(["slack", "zoom", "graph", "sns", "twitch", "dropbox"]);

/** The token that Meta was given: any text, as long as a query may carry it. */
const longestVerifyToken = 1_024;

const verifyToken = v.pipe(
  v.string(),
  v.check((token) => token.trim() !== "", "must not be blank: anybody could guess it"),
  v.maxLength(longestVerifyToken, `must have at most ${longestVerifyToken} characters`),
);

/** With a schema for the token: it is text in a request, and a reference in a file. */
export const handshakeWith = <Token extends v.GenericSchema>(token: Token) =>
  v.variant("kind", [
    v.strictObject({ kind: plainKinds }),
    v.strictObject({
      kind: v.literal("meta"),
      /** Write-only; left out in a change: the stored one stays. */
      verifyToken: v.optional(token),
    }),
  ]);

export const handshakeSchema = handshakeWith(verifyToken);

export const answerSchema = v.picklist(["event-id", "empty", "no-content", "twiml"]);

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
]);

export type HandshakeInput = v.InferOutput<typeof handshakeSchema>;
export type HandshakeView = v.InferOutput<typeof handshakeView>;
