import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { snsBody, snsTopicArn } from "./sns-message.js";

/** What providers send, shaped as in their documentation, and signed as it says: nothing of this is the product's. */
export interface ProviderRequest {
  /** Of the preset. */
  readonly provider: string;
  readonly secret: string | null;
  /** Event type and dedupe key that its preset has to find. */
  readonly type: string | null;
  readonly dedupeKey: string | null;
  readonly request: (nowMs: number) => SentRequest;
}

export interface SentRequest {
  readonly query?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The URL that signing providers know, for a source of this id. */
export const publicUrlOf = (sourceId: string): string => `https://hooks.example.com/in/${sourceId}`;

const publicUrl = publicUrlOf("src");
const secret = "a shared secret of some length";
const json = { "content-type": "application/json" };
const hmac = (algorithm: string, key: string | Buffer, ...parts: string[]) =>
  parts.reduce((digest, part) => digest.update(part), createHmac(algorithm, key));
const seconds = (nowMs: number) => String(Math.floor(nowMs / 1000));

/** A header with the HMAC-SHA256 of the body. */
const plain = (header: string, prefix: string, encoding: "hex" | "base64", body: string, algorithm = "sha256") => ({
  ...json,
  [header]: prefix + hmac(algorithm, secret, body).digest(encoding),
});

const ed25519 = generateKeyPairSync("ed25519");
const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" });
const discordKey = ed25519.publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex");
const sendgridKey = p256.publicKey.export({ format: "der", type: "spki" }).toString("base64");

const whsecKey = Buffer.alloc(24, 9);
const whsec = `whsec_${whsecKey.toString("base64")}`;

const standard = (brand: string, nowMs: number, body: string) => ({
  ...json,
  [`${brand}-id`]: "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W",
  [`${brand}-timestamp`]: seconds(nowMs),
  [`${brand}-signature`]: `v1,${hmac("sha256", whsecKey, `msg_2KWPBgLlAfxdpx2AI54pPJ85f4W.${seconds(nowMs)}.${body}`).digest("base64")}`,
});

const v0 = (names: readonly [signature: string, timestamp: string], nowMs: number, body: string) => ({
  ...json,
  [names[1]]: seconds(nowMs),
  [names[0]]: `v0=${hmac("sha256", secret, `v0:${seconds(nowMs)}:${body}`).digest("hex")}`,
});

const one = (
  provider: string,
  type: string | null,
  dedupeKey: string | null,
  request: ProviderRequest["request"],
  key: string | null = secret,
): ProviderRequest => ({ provider, type, dedupeKey, request, secret: key });

/** A request whose signature is made of its body alone. */
const signedBody = (
  provider: string,
  type: string | null,
  dedupeKey: string | null,
  body: string,
  headersOf: (body: string) => SentRequest["headers"],
): ProviderRequest => one(provider, type, dedupeKey, () => ({ body, headers: headersOf(body) }));

const uuid = "72d3162e-cc78-11e3-81ab-4c9367dc0958";

export const providerRequests: readonly ProviderRequest[] = [
  signedBody("bitbucket", "repo:push", uuid, '{"push":{"changes":[]},"actor":{}}', (body) => ({
    ...plain("X-Hub-Signature", "sha256=", "hex", body),
    "X-Event-Key": "repo:push",
    "X-Request-UUID": uuid,
    "X-Attempt-Number": "1",
  })),
  ...(["clerk", "resend", "svix"] as const).map((provider) =>
    one(
      provider,
      "user.created",
      "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W",
      (nowMs) => {
        const body = '{"data":{"id":"user_1"},"object":"event","type":"user.created"}';
        return { body, headers: standard("svix", nowMs, body) };
      },
      whsec,
    ),
  ),
  one(
    "discord",
    "APPLICATION_AUTHORIZED",
    null,
    (nowMs) => {
      const body = '{"version":1,"application_id":"1","type":1,"event":{"type":"APPLICATION_AUTHORIZED","data":{}}}';
      const signature = sign(null, Buffer.from(seconds(nowMs) + body), ed25519.privateKey).toString("hex");
      return { body, headers: { ...json, "X-Signature-Timestamp": seconds(nowMs), "X-Signature-Ed25519": signature } };
    },
    discordKey,
  ),
  signedBody(
    "docusign",
    "envelope-completed",
    null,
    '{"event":"envelope-completed","data":{"envelopeId":"e1"}}',
    (body) => plain("X-DocuSign-Signature-1", "", "base64", body),
  ),
  signedBody(
    "dropbox",
    null,
    null,
    '{"list_folder":{"accounts":["dbid:AAH4f99T0taONIb"]},"delta":{"users":[1]}}',
    (body) => plain("X-Dropbox-Signature", "", "hex", body),
  ),
  signedBody("github", "push", uuid, '{"ref":"refs/heads/main","commits":[]}', (body) => ({
    ...plain("X-Hub-Signature-256", "sha256=", "hex", body),
    "X-Hub-Signature": `sha1=${hmac("sha1", secret, body).digest("hex")}`,
    "X-GitHub-Event": "push",
    "X-GitHub-Delivery": uuid,
  })),
  one(
    "gitlab",
    "Push Hook",
    uuid,
    (nowMs) => {
      const body = '{"object_kind":"push","ref":"refs/heads/main"}';
      const names = { "X-Gitlab-Event": "Push Hook", "Idempotency-Key": uuid };
      return { body, headers: { ...standard("webhook", nowMs, body), ...names } };
    },
    whsec,
  ),
  one("hubspot", null, null, (nowMs) => {
    const body = '[{"eventId":100,"subscriptionType":"contact.creation","objectId":1,"occurredAt":1767225600000}]';
    const signature = hmac("sha256", secret, `POST${publicUrl}${body}${nowMs}`).digest("base64");
    return {
      body,
      headers: { ...json, "X-HubSpot-Request-Timestamp": String(nowMs), "X-HubSpot-Signature-v3": signature },
    };
  }),
  one("linear", "Issue", uuid, (nowMs) => {
    const body = `{"action":"create","type":"Issue","data":{"id":"i1"},"webhookTimestamp":${nowMs}}`;
    return {
      body,
      headers: { ...plain("Linear-Signature", "", "hex", body), "Linear-Event": "Issue", "Linear-Delivery": uuid },
    };
  }),
  one("mailgun", "delivered", "CPgfbmQMTCKtHW6uIWtuVe", (nowMs) => {
    const [timestamp, token] = [seconds(nowMs), "8ffe9fc38c9b9e6a4a1e7f0d1c2b3a4958670a1b2c3d4e5f60"];
    const signature = hmac("sha256", secret, timestamp, token).digest("hex");
    const event = { event: "delivered", id: "CPgfbmQMTCKtHW6uIWtuVe", recipient: "alice@example.com" };
    return { body: JSON.stringify({ signature: { token, timestamp, signature }, "event-data": event }), headers: json };
  }),
  signedBody(
    "meta",
    "whatsapp_business_account",
    null,
    '{"object":"whatsapp_business_account","entry":[{"id":"1"}]}',
    (body) => plain("X-Hub-Signature-256", "sha256=", "hex", body),
  ),
  one(
    "microsoft-graph",
    null,
    null,
    () => ({ body: '{"value":[{"clientState":"s","changeType":"created"}]}', headers: json }),
    null,
  ),
  one("paddle", "transaction.completed", "evt_01hv8x29nsh54c7pgt0hnq0zkx", (nowMs) => {
    const body =
      '{"event_id":"evt_01hv8x29nsh54c7pgt0hnq0zkx","event_type":"transaction.completed","notification_id":"ntf_1"}';
    const h1 = hmac("sha256", secret, `${seconds(nowMs)}:${body}`).digest("hex");
    return { body, headers: { ...json, "Paddle-Signature": `ts=${seconds(nowMs)};h1=${h1}` } };
  }),
  one(
    "sendgrid",
    null,
    null,
    (nowMs) => {
      const body = '[{"email":"a@example.com","event":"processed","sg_event_id":"rbtnWrG1DVDGGGFHFyun0A=="}]\r\n';
      const signature = sign("sha256", Buffer.from(seconds(nowMs) + body), p256.privateKey).toString("base64");
      const [name, time] = ["X-Twilio-Email-Event-Webhook-Signature", "X-Twilio-Email-Event-Webhook-Timestamp"];
      return { body, headers: { ...json, [name]: signature, [time]: seconds(nowMs) } };
    },
    sendgridKey,
  ),
  signedBody(
    "shopify",
    "orders/create",
    "b54557e4-bdd9-4b37-8a5f-bf7d70bcd043",
    '{"id":820982911946154508}',
    (body) => ({
      ...plain("X-Shopify-Hmac-Sha256", "", "base64", body),
      "X-Shopify-Topic": "orders/create",
      "X-Shopify-Shop-Domain": "example.myshopify.com",
      "X-Shopify-Webhook-Id": "b54557e4-bdd9-4b37-8a5f-bf7d70bcd043",
      "X-Shopify-Event-Id": "98880550-7158-44d4-b7cd-2c97c8a091b5",
    }),
  ),
  one("slack", "app_mention", "Ev123ABC456", (nowMs) => {
    const body =
      '{"token":"t","team_id":"T1","event":{"type":"app_mention"},"type":"event_callback","event_id":"Ev123ABC456"}';
    return { body, headers: v0(["X-Slack-Signature", "X-Slack-Request-Timestamp"], nowMs, body) };
  }),
  one(
    "sns",
    null,
    "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
    () => ({
      body: snsBody(),
      headers: {
        "content-type": "text/plain; charset=UTF-8",
        "x-amz-sns-message-type": "Notification",
        "x-amz-sns-topic-arn": snsTopicArn,
      },
    }),
    null,
  ),
  signedBody(
    "square",
    "customer.created",
    "13b867cf-db3d-4b1c-90b6-2f32a9d78124",
    '{"type":"customer.created","event_id":"13b867cf-db3d-4b1c-90b6-2f32a9d78124"}',
    (body) => ({
      ...json,
      "x-square-hmacsha256-signature": hmac("sha256", secret, publicUrl, body).digest("base64"),
    }),
  ),
  one(
    "standard-webhooks",
    "invoice.paid",
    "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W",
    (nowMs) => {
      const body = '{"type":"invoice.paid","timestamp":"2026-01-01T00:00:00Z","data":{}}';
      return { body, headers: standard("webhook", nowMs, body) };
    },
    whsec,
  ),
  one("stripe", "invoice.paid", "evt_1NG8Du2eZvKYlo2CUI79vXWy", (nowMs) => {
    const body = '{\n  "id": "evt_1NG8Du2eZvKYlo2CUI79vXWy",\n  "object": "event",\n  "type": "invoice.paid"\n}';
    const v1 = hmac("sha256", secret, `${seconds(nowMs)}.${body}`).digest("hex");
    return { body, headers: { ...json, "Stripe-Signature": `t=${seconds(nowMs)},v1=${v1},v0=${"0".repeat(64)}` } };
  }),
  one("twilio", null, "token-1", () => {
    const fields = { CallSid: "CA1234567890ABCDE", From: "+14158675309", To: "+18005551212", Digits: "1234" };
    const text = Object.entries(fields)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flat()
      .join("");
    return {
      body: new URLSearchParams(fields).toString(),
      headers: {
        "content-type": "application/x-www-form-urlencoded; charset=UTF-8",
        "X-Twilio-Signature": hmac("sha1", secret, publicUrl, text).digest("base64"),
        "I-Twilio-Idempotency-Token": "token-1",
      },
    };
  }),
  signedBody(
    "twitch",
    "channel.follow",
    "e76c6bd4-55c9-4987-8304-da1588d8988b",
    '{"subscription":{"type":"channel.follow"},"event":{}}',
    (body) => {
      const [id, time] = ["e76c6bd4-55c9-4987-8304-da1588d8988b", "2026-01-01T00:00:00.634234626Z"];
      return {
        ...json,
        "Twitch-Eventsub-Message-Id": id,
        "Twitch-Eventsub-Message-Timestamp": time,
        "Twitch-Eventsub-Message-Type": "notification",
        "Twitch-Eventsub-Subscription-Type": "channel.follow",
        "Twitch-Eventsub-Message-Signature": `sha256=${hmac("sha256", secret, id, time, body).digest("hex")}`,
      };
    },
  ),
  signedBody(
    "typeform",
    "form_response",
    "LtWXD3crgy",
    '{"event_id":"LtWXD3crgy","event_type":"form_response","form_response":{}}',
    (body) => plain("Typeform-Signature", "sha256=", "base64", body),
  ),
  signedBody(
    "vercel",
    "deployment.succeeded",
    "uev_1",
    '{"id":"uev_1","type":"deployment.succeeded","payload":{}}',
    (body) => plain("x-vercel-signature", "", "hex", body, "sha1"),
  ),
  signedBody(
    "zendesk",
    "zen:event-type:ticket.created",
    "8350205582",
    '{"type":"zen:event-type:ticket.created","id":"e1"}',
    (body) => ({
      ...json,
      "X-Zendesk-Webhook-Invocation-Id": "8350205582",
      "X-Zendesk-Webhook-Signature-Timestamp": "2026-01-01T00:00:00Z",
      "X-Zendesk-Webhook-Signature": hmac("sha256", secret, "2026-01-01T00:00:00Z", body).digest("base64"),
    }),
  ),
  one("zoom", "meeting.started", null, (nowMs) => {
    const body = '{"event":"meeting.started","event_ts":1767225600000,"payload":{"account_id":"a"}}';
    return { body, headers: v0(["x-zm-signature", "x-zm-request-timestamp"], nowMs, body) };
  }),
];

/** The same request about something else: a byte of its body, or of what stands for it, is another. */
export function forged({ body, ...request }: SentRequest): SentRequest {
  // Mailgun and SNS: what is signed is inside the body.
  const inside = body.replace(/("token":"|"MessageId":")./, "$1~");
  return { ...request, body: inside === body ? `${body.slice(0, -1)} ${body.slice(-1)}` : inside };
}
