import { callJson, type JsonService } from "./json-call.js";

/** A value that was replaced is seen after this long. */
const keptMs = 5 * 60_000;

/** The text of a secret in Secrets Manager, kept for five minutes. */
export function secretValue(service: JsonService, secretArn: string): () => Promise<string> {
  let kept: { readonly untilMs: number; readonly value: string } | undefined;
  return async () => {
    if (kept !== undefined && kept.untilMs > service.now()) return kept.value;
    const { SecretString } = await callJson<{ readonly SecretString?: string }>(
      service,
      "secretsmanager.GetSecretValue",
      "1.1",
      { SecretId: secretArn },
    );
    if (SecretString === undefined) throw new Error("The secret has no text, but bytes.");
    kept = { untilMs: service.now() + keptMs, value: SecretString };
    return SecretString;
  };
}
