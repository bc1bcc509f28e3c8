import { createHash, createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { Headers, Verification } from "../../../functions/core/model.js";
import type { VerifiableRequest } from "../../../functions/core/verification/scheme.js";

/** How each provider signs, written from its documentation and from nothing of the product. */
export interface Reference {
  readonly name: string;
  readonly verification: Verification;
  readonly secret: string;
  /** Headers whose values the signature covers. */
  readonly signedHeaders: readonly string[];
  /** False where the proof says nothing about the body. */
  readonly coversBody: boolean;
  /** What of the body is covered, where several bodies are one. */
  readonly canonical?: (body: Buffer) => string;
  /** A request as the provider would send it about these bytes; `tamper` changes the signature's bytes. */
  readonly request: (bytes: Buffer, nowMs: number, tamper?: (signature: Buffer) => Buffer) => VerifiableRequest;
}

const publicUrl = "https://hooks.example/in/src";
const suffix = "/orders";
const query = "a=1&b=two";
const url = `${publicUrl}${suffix}?${query}`;
const key = "a shared secret";
const asIs = (signature: Buffer): Buffer => signature;
const seconds = (nowMs: number): string => String(Math.floor(nowMs / 1000));
const hmac = (algorithm: string, secret: string | Buffer, ...parts: (string | Buffer)[]): Buffer =>
  parts.reduce((digest, part) => digest.update(part), createHmac(algorithm, secret)).digest();

const keyPair = (type: "ed25519" | "ec") =>
  type === "ed25519" ? generateKeyPairSync("ed25519") : generateKeyPairSync("ec", { namedCurve: "P-256" });
const ed25519 = keyPair("ed25519");
const p256 = keyPair("ec");
const spki = (publicKey: KeyObject): Buffer => publicKey.export({ format: "der", type: "spki" });
export const ed25519PublicBytes = spki(ed25519.publicKey).subarray(-32);
export const p256PublicKey = spki(p256.publicKey).toString("base64");

const whsecKey = Buffer.alloc(32, 7);
export const whsec = `whsec_${whsecKey.toString("base64")}`;
export const whpk = `whpk_${ed25519PublicBytes.toString("base64")}`;

type Signer = (bytes: Buffer, nowMs: number, tamper: (signature: Buffer) => Buffer) => SignedParts;
interface SignedParts {
  readonly headers: Headers;
  readonly body?: Buffer;
  readonly query?: string;
}

function reference(
  name: string,
  verification: Omit<Verification, "onFailure">,
  secret: string,
  signer: Signer,
  more: Partial<Pick<Reference, "signedHeaders" | "coversBody" | "canonical">> = {},
): Reference {
  return {
    name,
    verification: { onFailure: "reject", ...verification },
    secret,
    signedHeaders: [],
    coversBody: true,
    ...more,
    request: (bytes, nowMs, tamper = asIs) => ({
      method: "POST",
      suffix,
      query,
      body: bytes,
      nowMs,
      ...signer(bytes, nowMs, tamper),
    }),
  };
}

/** A header with the HMAC of the body and nothing else. */
const plain =
  (header: string, prefix: string, encoding: "hex" | "base64"): Signer =>
  (body, _, tamper) => ({ headers: [[header, prefix + tamper(hmac("sha256", key, body)).toString(encoding)]] });

const v0 =
  (signature: string, timestamp: string): Signer =>
  (body, nowMs, tamper) => ({
    headers: [
      [timestamp, seconds(nowMs)],
      [signature, `v0=${tamper(hmac("sha256", key, `v0:${seconds(nowMs)}:`, body)).toString("hex")}`],
    ],
  });

const standardWebhooks =
  (signature: (content: Buffer) => Buffer, version: string, brand = "webhook"): Signer =>
  (body, nowMs, tamper) => {
    const content = Buffer.concat([Buffer.from(`msg_1.${seconds(nowMs)}.`), body]);
    return {
      headers: [
        [`${brand}-id`, "msg_1"],
        [`${brand}-timestamp`, seconds(nowMs)],
        [`${brand}-signature`, `${version},${tamper(signature(content)).toString("base64")}`],
      ],
    };
  };

/** The body's bytes as text inside JSON. */
const asJson = (bytes: Buffer, fields: object): Buffer =>
  Buffer.from(JSON.stringify({ text: bytes.toString("latin1"), ...fields }));

const fieldsOf = (body: Buffer): string => {
  const params = new URLSearchParams(body.toString("latin1"));
  return [...new Set(params.keys())]
    .sort((a, b) => Number(a > b) - Number(a < b))
    .flatMap((name) =>
      [...new Set(params.getAll(name))].sort((a, b) => Number(a > b) - Number(a < b)).map((v) => name + v),
    )
    .join("");
};

/** Any bytes as a form with repeated names and values. */
const asForm = (bytes: Buffer): Buffer => {
  const texts = bytes.toString("latin1").match(/.{1,64}/gs) ?? [];
  const fields = texts.flatMap((text, index) => [
    [`Name ${index % 3}`, `${text}+~\u00e9`],
    [`Same${index % 2}`, "value"],
  ]);
  return Buffer.from(new URLSearchParams(fields as [string, string][]).toString());
};

const webhookHeaders = ["webhook-id", "webhook-timestamp"];
const ofStandard = (content: Buffer): Buffer => hmac("sha256", whsecKey, content);

export const references: readonly Reference[] = [
  reference("github", { scheme: "github" }, key, plain("x-hub-signature-256", "sha256=", "hex")),
  reference("shopify", { scheme: "shopify" }, key, plain("x-shopify-hmac-sha256", "", "base64")),
  reference("linear", { scheme: "linear" }, key, (bytes, nowMs, tamper) => {
    const body = asJson(bytes, { webhookTimestamp: nowMs });
    return { body, headers: [["linear-signature", tamper(hmac("sha256", key, body)).toString("hex")]] };
  }),
  reference("stripe", { scheme: "stripe" }, "whsec_text", (body, nowMs, tamper) => {
    const digest = tamper(hmac("sha256", "whsec_text", `${seconds(nowMs)}.`, body)).toString("hex");
    return { headers: [["stripe-signature", `t=${seconds(nowMs)},v1=${digest}`]] };
  }),
  reference("paddle", { scheme: "paddle" }, key, (body, nowMs, tamper) => {
    const digest = tamper(hmac("sha256", key, `${seconds(nowMs)}:`, body)).toString("hex");
    return { headers: [["paddle-signature", `ts=${seconds(nowMs)};h1=${digest}`]] };
  }),
  reference("slack", { scheme: "slack" }, key, v0("x-slack-signature", "x-slack-request-timestamp"), {
    signedHeaders: ["x-slack-request-timestamp"],
  }),
  reference("zoom", { scheme: "zoom" }, key, v0("x-zm-signature", "x-zm-request-timestamp"), {
    signedHeaders: ["x-zm-request-timestamp"],
  }),
  reference("standard-webhooks", { scheme: "standard-webhooks" }, whsec, standardWebhooks(ofStandard, "v1"), {
    signedHeaders: webhookHeaders,
  }),
  reference(
    "standard-webhooks, in Svix's headers",
    { scheme: "standard-webhooks" },
    whsec,
    standardWebhooks(ofStandard, "v1", "svix"),
    { signedHeaders: ["svix-id", "svix-timestamp"] },
  ),
  reference(
    "standard-webhooks, asymmetric",
    { scheme: "standard-webhooks" },
    whpk,
    standardWebhooks((content) => sign(null, content, ed25519.privateKey), "v1a"),
    { signedHeaders: webhookHeaders },
  ),
  reference("gitlab, signing token", { scheme: "gitlab" }, whsec, standardWebhooks(ofStandard, "v1"), {
    signedHeaders: webhookHeaders,
  }),
  reference(
    "gitlab, secret token",
    { scheme: "gitlab" },
    key,
    (_, __, tamper) => ({ headers: [["x-gitlab-token", tamper(Buffer.from(key)).toString("latin1")]] }),
    { coversBody: false },
  ),
  reference(
    "twilio, form",
    { scheme: "twilio", publicUrl },
    key,
    (bytes, _, tamper) => {
      const body = asForm(bytes);
      return {
        body,
        headers: [["x-twilio-signature", tamper(hmac("sha1", key, url, fieldsOf(body))).toString("base64")]],
      };
    },
    { canonical: fieldsOf },
  ),
  reference("twilio, any other body", { scheme: "twilio", publicUrl }, key, (body, _, tamper) => {
    const hashed = `${query}&bodySHA256=${createHash("sha256").update(body).digest("hex")}`;
    const signature = hmac("sha1", key, `${publicUrl}${suffix}?${hashed}`);
    return { query: hashed, headers: [["x-twilio-signature", tamper(signature).toString("base64")]] };
  }),
  reference("square", { scheme: "square", publicUrl }, key, (body, _, tamper) => ({
    headers: [["x-square-hmacsha256-signature", tamper(hmac("sha256", key, url, body)).toString("base64")]],
  })),
  reference(
    "hubspot",
    { scheme: "hubspot", publicUrl },
    key,
    (body, nowMs, tamper) => ({
      headers: [
        ["x-hubspot-request-timestamp", String(nowMs)],
        ["x-hubspot-signature-v3", tamper(hmac("sha256", key, `POST${url}`, body, String(nowMs))).toString("base64")],
      ],
    }),
    { signedHeaders: ["x-hubspot-request-timestamp"] },
  ),
  reference(
    "sendgrid",
    { scheme: "sendgrid" },
    p256PublicKey,
    (body, nowMs, tamper) => {
      const signature = sign("sha256", Buffer.concat([Buffer.from(seconds(nowMs)), body]), p256.privateKey);
      return {
        headers: [
          ["x-twilio-email-event-webhook-timestamp", seconds(nowMs)],
          ["x-twilio-email-event-webhook-signature", tamper(signature).toString("base64")],
        ],
      };
    },
    { signedHeaders: ["x-twilio-email-event-webhook-timestamp"] },
  ),
  reference(
    "discord",
    { scheme: "discord" },
    ed25519PublicBytes.toString("hex"),
    (body, nowMs, tamper) => {
      const signature = sign(null, Buffer.concat([Buffer.from(seconds(nowMs)), body]), ed25519.privateKey);
      return {
        headers: [
          ["x-signature-timestamp", seconds(nowMs)],
          ["x-signature-ed25519", tamper(signature).toString("hex")],
        ],
      };
    },
    { signedHeaders: ["x-signature-timestamp"] },
  ),
  reference(
    "mailgun",
    { scheme: "mailgun" },
    key,
    (bytes, nowMs, tamper) => {
      const [timestamp, token] = [seconds(nowMs), "e0b5477167110d68991efc6b9f89f0a11066af27834600e123"];
      const signature = tamper(hmac("sha256", key, timestamp, token)).toString("hex");
      return { headers: [], body: asJson(bytes, { signature: { timestamp, token, signature } }) };
    },
    { coversBody: false },
  ),
  reference(
    "hmac, with a template",
    {
      scheme: "hmac",
      publicUrl,
      hmac: {
        header: "X-Signature",
        prefix: "v2=",
        algorithm: "sha512",
        encoding: "base64url",
        content: "{method} {url}\n{id}.{timestamp}.{header:X-Topic}.{body}",
        timestampHeader: "X-Time",
        timestampUnit: "milliseconds",
        idHeader: "X-Id",
      },
    },
    key,
    (body, nowMs, tamper) => {
      const signature = hmac("sha512", key, `POST ${url}\nid_1.${nowMs}.orders.`, body);
      return {
        headers: [
          ["x-id", "id_1"],
          ["x-time", String(nowMs)],
          ["x-topic", "orders"],
          ["x-signature", `v2=${tamper(signature).toString("base64url")}`],
        ],
      };
    },
    { signedHeaders: ["x-id", "x-time", "x-topic"] },
  ),
  reference(
    "hmac, plain",
    { scheme: "hmac", hmac: { header: "X-Signature", prefix: "", algorithm: "sha1", encoding: "hex" } },
    key,
    (body, _, tamper) => ({ headers: [["x-signature", tamper(hmac("sha1", key, body)).toString("hex")]] }),
  ),
  reference(
    "basic",
    { scheme: "basic" },
    "user:pass word",
    (_, __, tamper) => ({
      headers: [["authorization", `Basic ${tamper(Buffer.from("user:pass word")).toString("base64")}`]],
    }),
    { coversBody: false },
  ),
  reference(
    "header-token",
    { scheme: "header-token", headerToken: { header: "X-Token" } },
    "Bearer t0ken",
    (_, __, tamper) => ({ headers: [["x-token", tamper(Buffer.from("Bearer t0ken")).toString("latin1")]] }),
    { coversBody: false },
  ),
];
