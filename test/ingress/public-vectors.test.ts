import { describe, expect, it } from "vitest";
import type { Verification } from "../../functions/core/model.js";
import { type HttpApiRequest, httpApiEvent } from "../support/http-api-event.js";
import { anOpenSource, githubSecret, ingressRig } from "../support/ingress-rig.js";

/** Signatures that providers and their libraries published, as the gateway hands them over. */

type Scheme = Omit<Verification, "onFailure">;
type Case = [what: string, status: 202 | 401, request: HttpApiRequest, nowSeconds?: number];

function prove(verification: Scheme, secret: string, nowSeconds: number, cases: Case[]): void {
  it.each<Case>(cases)("%s: %i", async (_, status, request, seconds = nowSeconds) => {
    const rig = ingressRig(
      anOpenSource({
        verification: { onFailure: "reject", ...verification },
        secretValues: [{ id: "sec_1", value: secret }],
      }),
    );
    rig.setTime(seconds * 1000);
    const answer = await rig.receive(httpApiEvent(request));
    expect([answer.statusCode, rig.queue.length]).toEqual([status, status === 202 ? 1 : 0]);
    if (status === 202) expect(rig.accepted()[0]?.content.body).toEqual(Buffer.from(request.body ?? ""));
  });
}

describe("Stripe", () => {
  const [id, now] = ["evt_123", 1_533_204_620];
  const object = {
    ...{ id: "ii_123", object: "invoiceitem", amount: 1000, currency: "usd", customer: "cus_123", date: now },
    ...{ description: "Test Invoice Item", discountable: false, invoice: "in_123", livemode: false, metadata: {} },
    ...{ period: { start: now, end: now }, proration: false, quantity: 3 },
  };
  const event = {
    ...{ id, object: "event", account: "acct_123", api_version: "2017-05-25", created: now, data: { object } },
    ...{ livemode: false, pending_webhooks: 1, request: { id: "req_123", idempotency_key: "idempotency-key-123" } },
    type: "invoiceitem.created",
  };
  const body = `${JSON.stringify(event, null, 2)}\n`;
  const v1 = "v1=82216eca827bcb7b34b8055eb2d2d9e6bc13b9ac39ded14a61e69f70c565f53a";
  const v0 = "v0=63f3a72374a733066c4be69ed7f8e5ac85c22c9f0a6a612ab9a025a9e4ee7eef";
  const wrong = `v1=${"0".repeat(64)}`;
  const signed = (value: string, text = body): HttpApiRequest => ({
    headers: { "content-type": "application/json; charset=utf-8", "Stripe-Signature": value },
    body: text,
  });
  prove({ scheme: "stripe" }, "webhook_secret", now, [
    ["as sent", 202, signed(`t=${now},${v1},${v0}`)],
    ["without the last line break", 401, signed(`t=${now},${v1}`, body.trimEnd())],
    ["with CRLF", 401, signed(`t=${now},${v1}`, body.replaceAll("\n", "\r\n"))],
    ["written again", 401, signed(`t=${now},${v1}`, JSON.stringify(event))],
    ["behind a wrong one", 202, signed(`t=${now},${wrong},${v1},v0=x`)],
    ["before the time, with spaces", 202, signed(`${v1}, ${wrong}, t=${now}`)],
    ["only an older scheme", 401, signed(`t=${now},${v0}`)],
    ["only an older scheme, with the right digest", 401, signed(`t=${now},${v1.replace("v1", "v0")}`)],
    ["an empty one", 401, signed(`t=${now},v1=`)],
    ["two times", 401, signed(`t=${now},t=1,${v1}`)],
    ["no time", 401, signed(v1)],
    ["301 s too early", 401, signed(`t=${now},${v1}`), now - 301],
    ["300 s early", 202, signed(`t=${now},${v1}`), now - 300],
    ["300 s late", 202, signed(`t=${now},${v1}`), now + 300],
    ["301 s late", 401, signed(`t=${now},${v1}`), now + 301],
  ]);
});

describe("Standard Webhooks", () => {
  const good = "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
  const wrong = "Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=";
  const signed = (value: string, body: string | undefined = '{"test": 2432232314}'): HttpApiRequest => ({
    headers: {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": value,
    },
    ...(body === "" ? {} : { body }),
  });
  prove({ scheme: "standard-webhooks" }, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", 1_614_265_330, [
    ["any v1 of a list", 202, signed(`v1,${wrong} v2,${good} v1,${good} v1a,xxx`)],
    ["two spaces between them", 202, signed(`v1,${wrong}  v1,${good}`)],
    ["only another version", 401, signed(`v1,${wrong} v2,${good}`)],
    ["an empty one", 401, signed("v1,")],
    ["the beginning of one", 401, signed(`v1,${good.slice(0, 8)}`)],
    ["of no body at all", 202, signed("v1,v48jdbgvh29KJz2Qc+ghw8G6vG3nAKnujWBg8oM/62A=", "")],
    ["under the secret's text", 401, signed("v1,ELhqG0Ku1gwOc1f4jyKdp3SFGFLAOdJ9bvpWLciCakI=")],
  ]);
  prove({ scheme: "standard-webhooks" }, "whsec_!!!!", 1_614_265_330, [
    ["under an empty key", 401, signed("v1,woH/1mJtZGSMCmpFTxRYbStS24eLLD/oXIYr4PYyZ7g=")],
  ]);
});

describe("GitHub", () => {
  const digest = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
  const signed = (name: string, value: string | string[]): HttpApiRequest => ({
    headers: { "content-type": "text/plain", [name]: value },
    body: "Hello, World!",
  });
  const header = "X-Hub-Signature-256";
  prove({ scheme: "github" }, githubSecret, 0, [
    ["as documented", 202, signed(header, `sha256=${digest}`)],
    ["in upper-case hex", 202, signed(header.toUpperCase(), `sha256=${digest.toUpperCase()}`)],
    ["without its prefix", 401, signed(header, digest)],
    ["with its prefix in capitals", 401, signed(header, `SHA256=${digest}`)],
    ["twice", 401, signed(header, [`sha256=${digest}`, `sha256=${digest}`])],
    ["in the header of SHA-1", 401, signed("X-Hub-Signature", `sha256=${digest}`)],
  ]);
});

describe("Twilio", () => {
  const publicUrl = "https://mycompany.com/myapp.php";
  const form = "CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309&To=%2B18005551212";
  const [one, two] = ["MessagingBinding.Address=%2B1415xxxxxxx", "MessagingBinding.Address=%2B1325xxxxxxx"];
  const hashed = "foo=1&bar=2&bodySHA256=0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620";
  const json = '{"property": "value", "boolean": true}';
  const signed = (value: string, body: string, query = "foo=1&bar=2"): HttpApiRequest => ({
    query,
    headers: {
      host: "x.execute-api.eu-west-1.amazonaws.com",
      "content-type": body.startsWith("{") ? "application/json" : "application/x-www-form-urlencoded",
      "X-Twilio-Signature": value,
    },
    body,
  });
  prove({ scheme: "twilio", publicUrl }, "12345", 0, [
    ["the URL that it was given, not the gateway's", 202, signed("RSOYDt4T1cUTdK1PDd93/VVr8B8=", form)],
    ["the same with its port", 202, signed("kvajT1Ptam85bY51eRf/AJRuM3w=", form)],
    ["fields that come twice", 202, signed("83O6e2vORAoJHUNzJjDWN1jz+BA=", `${one}&${two}`)],
    ["the same in the other order", 202, signed("83O6e2vORAoJHUNzJjDWN1jz+BA=", `${two}&${one}`)],
    ["one of them alone", 401, signed("83O6e2vORAoJHUNzJjDWN1jz+BA=", one)],
    ["an apostrophe", 202, signed("TfZzewPq8wqrGlMfyAud8+/IvJ0=", form, "foo=1&bar=2&Body=It's+amazing")],
    ["JSON by its hash", 202, signed("a9nBmqA0ju/hNViExpshrM61xv4=", json, hashed)],
    ["changed JSON", 401, signed("a9nBmqA0ju/hNViExpshrM61xv4=", json.replace("true", "null"), hashed)],
    ["JSON without its hash", 401, signed("a9nBmqA0ju/hNViExpshrM61xv4=", json)],
  ]);
});

describe("Slack, Shopify, and a body that is signed before it is compressed", () => {
  const slack = (value: string): HttpApiRequest => ({
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "X-Slack-Request-Timestamp": "1531420618",
      "X-Slack-Signature": value,
    },
    body: "token=t&text=a%20b+c%2A~%27&payload=%7B%22a%22%3A1%7D",
  });
  prove({ scheme: "slack" }, "8f742231b10e8888abcd99yyyzzz85a5", 1_531_420_618, [
    ["the form as it came", 202, slack("v0=1218323500ddba6db1d137b8e72cdd56d49baa2f3e73d91f4472eead093617d3")],
    ["the form rebuilt", 401, slack("v0=82f4fc3f44d4b4a4660ab82264b60e6f575cbe9e47f211e71ad0c5c1df6c4303")],
  ]);
  const base64 = "QNyObTlKbMx2qDlPF/ZOZcBqg5OgPg+2oky3zldc0Gw=";
  const shopify = (...values: string[]): HttpApiRequest => ({
    headers: { "content-type": "application/json", ...(values.length > 0 && { "X-Shopify-Hmac-Sha256": values }) },
    body: '{"id":1234567890,"email":"customer@example.com","total_price":"123.45"}',
  });
  prove({ scheme: "shopify" }, "test-webhook-secret", 0, [
    ["base64", 202, shopify(base64)],
    ["hex", 401, shopify(Buffer.from(base64, "base64").toString("hex"))],
    ["absent", 401, shopify()],
    ["twice", 401, shopify(base64, base64)],
  ]);
  const options = { header: "X-Signature", prefix: "", algorithm: "sha256", encoding: "hex" } as const;
  const compressed: HttpApiRequest = {
    headers: {
      "content-encoding": "gzip",
      "X-Signature": "5cd8533f31950cc5ef8d2d9a002ed497394d5c2ae2b1a14fa03d29c25ca28470",
    },
    body: Buffer.from("H4sIAAAAAAAC/6tWKqksSFWyUspNLS5OTE/Vy0stV6oFANUTSMoWAAAA", "base64"),
  };
  prove({ scheme: "hmac", hmac: { ...options, covers: "decoded" } }, "test-secret", 0, [
    ["covers what is decoded", 202, compressed],
  ]);
  prove({ scheme: "hmac", hmac: { ...options, covers: "wire" } }, "test-secret", 0, [
    ["covers the wire", 401, compressed],
  ]);
});

describe("a body between the limits of queues", () => {
  it.each([262_143, 262_144, 262_145, 1_048_577])("of %i bytes of text is accepted whole", async (size) => {
    const rig = ingressRig(anOpenSource());
    for (const body of ["a".repeat(size), "€".repeat(200_000)]) {
      const event = httpApiEvent({ headers: { "content-type": "text/plain" }, body });
      expect((await rig.receive(event)).statusCode).toBe(202);
    }
    expect(rig.accepted().map(({ event }) => event.bodyBytes)).toEqual([size, 600_000]);
  });
});
