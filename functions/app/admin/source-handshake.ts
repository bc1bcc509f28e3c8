import type { Handshake, Verification } from "../../core/model.js";
import type { AdminContext } from "./context.js";
import type { HandshakeInput } from "./handshake-schemas.js";
import type { FieldProblem } from "./problem.js";
import { noSecrets, type SecretSet, secretSet } from "./secrets.js";

/** A source's handshake as it is stored, with the value of its secret; null: none, or none that could be stored. */
export interface HandshakeSet {
  readonly handshake: Handshake | null;
  readonly secrets: SecretSet;
}

export const noHandshake: HandshakeSet = { handshake: null, secrets: noSecrets };

/** A stored handshake with its token opened; none when the token cannot be read, so that a new one is asked for. */
export function handshakeAsStored(handshake: Handshake | null, verifyToken: string | null): HandshakeSet {
  if (handshake?.kind !== "meta") return { handshake, secrets: noSecrets };
  if (verifyToken === null) return noHandshake;
  const ref = handshake.verifyToken;
  return { handshake, secrets: { refs: [ref], values: { [ref.id]: verifyToken } } };
}

/** Gives a new verify token an id; one that is left out is the stored one, the same one again keeps its id. */
export function handshakeSet(
  context: Pick<AdminContext, "now" | "entropy">,
  input: HandshakeInput | null,
  known: HandshakeSet,
): HandshakeSet {
  if (input === null) return noHandshake;
  if (input.kind !== "meta") return { handshake: input, secrets: noSecrets };
  const { verifyToken } = input;
  if (verifyToken === undefined) return known.handshake?.kind === "meta" ? known : noHandshake;
  const secrets = secretSet(context, [verifyToken], known.secrets);
  const [ref] = secrets.refs;
  return ref === undefined ? noHandshake : { handshake: { kind: "meta", verifyToken: ref }, secrets };
}

/** What is wrong with a handshake, beside this verification. */
export function handshakeProblems(
  input: HandshakeInput | null,
  { handshake }: HandshakeSet,
  verification: Verification | null,
): readonly FieldProblem[] {
  if (input === null) return [];
  const scheme = verification?.scheme ?? null;
  const at = (field: string, reason: string) => [{ field, reason }];
  if (handshake === null) return at("handshake.verifyToken", "is required: the token that Meta was given for this URL");
  if (scheme === "iam") return at("handshake", "must be null: with the scheme iam no provider can reach the source");
  if (input.kind === "zoom" && scheme === null) {
    return at("handshake.kind", "zoom needs a verification: its secret token is what the handshake is answered with");
  }
  if (input.kind === "twitch" && scheme === null) {
    return at("handshake.kind", "twitch needs a verification: its handshakes are answered when they are signed only");
  }
  if (input.kind === "sns" && scheme !== "sns") {
    return at("handshake.kind", "sns needs the scheme sns: only a genuine message may make the relay confirm a topic");
  }
  return [];
}

/** The handshake as a caller would write it, its secret apart. */
export function writtenHandshake(handshake: Handshake | null): HandshakeInput | null {
  return handshake?.kind === "meta" ? { kind: "meta" } : handshake;
}
