import { Webhook, WebhookVerificationError } from "standardwebhooks";

/** A request that was signed under the secret, at most five minutes ago. */
export interface VerifiedRequest {
  /** The same for every attempt and replay of one event: what has been handled is recognised by it. */
  readonly id: string;
  readonly body: Buffer;
}

/** A request that is not to be handled: the status says why: 400 for what is no webhook, 401 for a wrong signature, 413 for too much. */
export class RefusedRequest extends Error {
  override readonly name = "RefusedRequest";
  constructor(
    readonly status: 400 | 401 | 413,
    message: string,
  ) {
    super(message);
  }
}

/** Checks the bytes as they came: JSON that was parsed and written again is another text, whose signature is another. */
export function verify(
  secret: string,
  headers: Readonly<Record<string, string | undefined>>,
  body: Buffer,
): VerifiedRequest {
  const [id, timestamp, signature] = [
    headers["webhook-id"],
    headers["webhook-timestamp"],
    headers["webhook-signature"],
  ];
  if (!id || !timestamp || !signature) throw new RefusedRequest(400, "a webhook-* header is missing");
  // The library signs text: bytes that are no UTF-8 would be altered on their way into it.
  if (!Buffer.from(body.toString("utf8")).equals(body)) throw new RefusedRequest(400, "the body is not UTF-8");
  try {
    const signed = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
    new Webhook(secret).verify(body.toString("utf8"), signed, { jsonParse: false });
  } catch (error) {
    if (error instanceof WebhookVerificationError) throw new RefusedRequest(401, error.message);
    throw error;
  }
  return { id, body };
}
