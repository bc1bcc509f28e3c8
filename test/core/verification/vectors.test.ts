import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Headers, Verification } from "../../../functions/core/model.js";
import type { VerifiableRequest } from "../../../functions/core/verification/scheme.js";
import { verify } from "../../../functions/core/verification/verify.js";

/** Signatures that others made: from the providers' documentation and from the tests of their own libraries. */

const check = (verification: Omit<Verification, "onFailure">, secret: string, request: Partial<VerifiableRequest>) =>
  verify({ onFailure: "reject", ...verification }, [{ id: "sec_1", value: secret }], {
    method: "POST",
    suffix: "",
    query: "",
    headers: [],
    body: Buffer.alloc(0),
    nowMs: 0,
    ...request,
  });

const verified = { ok: true, secretId: "sec_1" };
const refused = (reason: string) => ({ ok: false, reason });

describe("Stripe", () => {
  const event = {
    id: "evt_123",
    object: "event",
    account: "acct_123",
    api_version: "2017-05-25",
    created: 1533204620,
    data: {
      object: {
        id: "ii_123",
        object: "invoiceitem",
        amount: 1000,
        currency: "usd",
        customer: "cus_123",
        date: 1533204620,
        description: "Test Invoice Item",
        discountable: false,
        invoice: "in_123",
        livemode: false,
        metadata: {},
        period: { start: 1533204620, end: 1533204620 },
        proration: false,
        quantity: 3,
      },
    },
    livemode: false,
    pending_webhooks: 1,
    request: { id: "req_123", idempotency_key: "idempotency-key-123" },
    type: "invoiceitem.created",
  };
  const pretty = `${JSON.stringify(event, null, 2)}\n`;
  const body = Buffer.from(pretty);
  const good = "v1=82216eca827bcb7b34b8055eb2d2d9e6bc13b9ac39ded14a61e69f70c565f53a";
  const zeros = `v1=${"0".repeat(64)}`;
  const old = "v0=63f3a72374a733066c4be69ed7f8e5ac85c22c9f0a6a612ab9a025a9e4ee7eef";
  const stripe = (value: string, nowSeconds = 1533204620, text = body, more: Partial<Verification> = {}) =>
    check({ scheme: "stripe", ...more }, "webhook_secret", {
      headers: [["Stripe-Signature", value]],
      body: text,
      nowMs: nowSeconds * 1000,
    });

  it("verifies the 756 bytes as they came, and no re-formatted ones", () => {
    expect(body.length).toBe(756);
    expect(stripe(`t=1533204620,${good},${old}`)).toEqual(verified);
    const others = [pretty.trimEnd(), pretty.replaceAll("\n", "\r\n"), JSON.stringify(event)];
    for (const other of others) {
      expect(stripe(`t=1533204620,${good}`, undefined, Buffer.from(other))).toEqual(refused("signature mismatch"));
    }
  });

  it.each([
    [zeros, good, old],
    [old, good, zeros],
    [good, zeros, old],
    [zeros, old, good],
    ["v1=", good, "v1=zz"],
  ])("takes any v1 in any place: %s,%s,%s", (...list) => {
    expect(stripe(["t=1533204620", ...list].join(","))).toEqual(verified);
    expect(stripe([...list, "t=1533204620"].join(", "))).toEqual(verified);
  });

  it.each([
    [`t=1533204620,${old}`, "no v1 digest in hex is listed"],
    ["t=1533204620,v1=", "no v1 digest in hex is listed"],
    [`t=1533204620,${zeros}`, "signature mismatch"],
    [`t=1533204620,t=1533204620,${good}`, "not exactly one timestamp"],
    [`t=1533204620,t=1,${good}`, "not exactly one timestamp"],
    [good, "not exactly one timestamp"],
    [`t=1533204620.0,${good}`, "timestamp is not a whole number of seconds"],
    [`t=,${good}`, "timestamp is not a whole number of seconds"],
    [`t=15332046200,${good}`, "timestamp is not a whole number of seconds"],
    ["", "not exactly one timestamp"],
  ])("refuses %s", (value, reason) => {
    expect(stripe(value)).toEqual(refused(reason));
  });

  it("looks at the first 20 signatures of a header, no further", () => {
    const list = (before: number) => ["t=1533204620", ...Array.from({ length: before }, () => zeros), good].join(",");
    expect(stripe(list(19))).toEqual(verified);
    expect(stripe(list(20))).toEqual(refused("signature mismatch"));
  });

  it("takes a time up to the tolerance off, in either direction", () => {
    const at = (nowSeconds: number, more?: Partial<Verification>) =>
      stripe(`t=1533204620,${good}`, nowSeconds, body, more);
    expect(at(1533204319)).toEqual(refused("timestamp is in the future"));
    expect(at(1533204320)).toEqual(verified);
    expect(at(1533204920)).toEqual(verified);
    expect(at(1533204921)).toEqual(refused("timestamp is too old"));
    expect(at(1533204680, { toleranceSeconds: 60 })).toEqual(verified);
    expect(at(1533204681, { toleranceSeconds: 60 })).toEqual(refused("timestamp is too old"));
  });
});

describe("Slack", () => {
  const secret = "8f742231b10e8888abcd99yyyzzz85a5";
  const nowSeconds = 1531420618;
  const command =
    "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
  const slack = (text: string, signature: string, seconds = nowSeconds) =>
    check({ scheme: "slack" }, secret, {
      headers: [
        ["X-Slack-Request-Timestamp", String(nowSeconds)],
        ["X-Slack-Signature", signature],
      ],
      body: Buffer.from(text),
      nowMs: seconds * 1000,
    });
  const signature = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";

  it("verifies the documented example, and not its base64", () => {
    expect(slack(command, signature)).toEqual(verified);
    expect(slack(command, signature, nowSeconds + 300)).toEqual(verified);
    expect(slack(command, signature, nowSeconds + 301)).toEqual(refused("timestamp is too old"));
    expect(slack(Buffer.from(command).toString("base64"), signature)).toEqual(refused("signature mismatch"));
    expect(slack(command, signature.slice(3))).toEqual(refused("signature does not start with v0="));
  });

  it("verifies a form as it was written, not as it would be written again", () => {
    const form = "token=t&text=a%20b+c%2A~%27&payload=%7B%22a%22%3A1%7D";
    expect(slack(form, "v0=1218323500ddba6db1d137b8e72cdd56d49baa2f3e73d91f4472eead093617d3")).toEqual(verified);
    const again = "v0=82f4fc3f44d4b4a4660ab82264b60e6f575cbe9e47f211e71ad0c5c1df6c4303";
    expect(slack(form, again)).toEqual(refused("signature mismatch"));
  });
});

describe("Standard Webhooks", () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const good = "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
  const wrong = "Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=";
  const standard = (
    signature: string,
    more: { value?: string; body?: string; verification?: Partial<Verification> } = {},
  ) =>
    check({ scheme: "standard-webhooks", ...more.verification }, more.value ?? secret, {
      headers: [
        ["webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"],
        ["webhook-timestamp", "1614265330"],
        ["webhook-signature", signature],
      ],
      body: Buffer.from(more.body ?? '{"test": 2432232314}'),
      nowMs: 1614265330_000,
    });

  it.each([
    `v1,${good}`,
    `v1,${wrong} v2,${good} v1,${good} v1,${wrong}`,
    `v1,${wrong} v2,${good} v1,${good} v1a,xxx`,
    `v1,${wrong}  v1,${good}`,
    `v1, v1,${good} junk v1,%%%`,
    `v1,${wrong},v1,${good}`,
    `v1,${wrong}, v1,${good}`,
  ])("finds its entry in %s", (list) => {
    expect(standard(list)).toEqual(verified);
  });

  it.each([
    `v2,${good}`,
    `v1a,${good}`,
    "v1,",
    `v1,${good.slice(0, 8)}`,
    good,
    "",
    `v1=${good}`,
    `v1,${good.replace("=", "")}`,
  ])("finds no entry of its own in %s", (list) => {
    expect(standard(list)).toEqual(refused("no usable entry in the signature header"));
  });

  it("takes a secret without its prefix", () => {
    expect(standard(`v1,${good}`, { value: secret.slice("whsec_".length) })).toEqual(verified);
  });

  it("signs an empty body too", () => {
    expect(standard("v1,v48jdbgvh29KJz2Qc+ghw8G6vG3nAKnujWBg8oM/62A=", { body: "" })).toEqual(verified);
  });

  it("refuses what was signed with an empty key, made from a secret that is not base64", () => {
    const forged = "v1,woH/1mJtZGSMCmpFTxRYbStS24eLLD/oXIYr4PYyZ7g=";
    for (const value of ["whsec_!!!!", "whsec_", "", "  "]) {
      expect(standard(forged, { value })).toEqual(refused("the source has no usable secret"));
    }
  });

  it("takes the key's text for the key when the source says so, and never by itself", () => {
    const asText = "v1,ELhqG0Ku1gwOc1f4jyKdp3SFGFLAOdJ9bvpWLciCakI=";
    const value = secret.slice("whsec_".length);
    expect(standard(asText, { value })).toEqual(refused("signature mismatch"));
    expect(standard(asText, { value, verification: { secretEncoding: "utf8" } })).toEqual(verified);
    expect(standard(`v1,${good}`, { value, verification: { secretEncoding: "utf8" } })).toEqual(
      refused("signature mismatch"),
    );
  });

  it("takes base64url for the key when the source says so", () => {
    const key = Buffer.alloc(32, 0xfb);
    const value = `whsec_${key.toString("base64url")}`;
    const digest = createHmac("sha256", key)
      .update('msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}')
      .digest("base64");
    expect(standard(`v1,${digest}`, { value, verification: { secretEncoding: "base64url" } })).toEqual(verified);
    expect(standard(`v1,${digest}`, { value })).toEqual(refused("the source has no usable secret"));
  });
});

describe("Twilio", () => {
  const call = "CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309&To=%2B18005551212";
  const twilio = (
    signature: string,
    body: string,
    query = "foo=1&bar=2",
    publicUrl = "https://mycompany.com/myapp.php",
  ) =>
    check({ scheme: "twilio", publicUrl }, "12345", {
      headers: [["X-Twilio-Signature", signature]],
      body: Buffer.from(body),
      query,
    });

  it("signs each value of a repeated field once, in the order of values", () => {
    const [first, second] = ["MessagingBinding.Address=%2B1415xxxxxxx", "MessagingBinding.Address=%2B1325xxxxxxx"];
    expect(twilio("83O6e2vORAoJHUNzJjDWN1jz+BA=", `${first}&${second}`)).toEqual(verified);
    expect(twilio("83O6e2vORAoJHUNzJjDWN1jz+BA=", `${second}&${first}`)).toEqual(verified);
    expect(twilio("83O6e2vORAoJHUNzJjDWN1jz+BA=", first)).toEqual(refused("signature mismatch"));
    const digits = "Sid=CA123&SidAccount=AC123&Digits=5678&Digits=1234&Digits=1234";
    expect(twilio("IK+Dwps556ElfBT0I3Rgjkr1wJU=", digits)).toEqual(verified);
  });

  it("signs the public URL with or without its port", () => {
    const withPort = "https://mycompany.com:443/myapp.php";
    for (const publicUrl of [undefined, withPort]) {
      expect(twilio("RSOYDt4T1cUTdK1PDd93/VVr8B8=", call, undefined, publicUrl)).toEqual(verified);
      expect(twilio("kvajT1Ptam85bY51eRf/AJRuM3w=", call, undefined, publicUrl)).toEqual(verified);
    }
    const other = "https://mycompany.com:1234/myapp.php";
    expect(twilio("RSOYDt4T1cUTdK1PDd93/VVr8B8=", call, undefined, other)).toEqual(verified);
    expect(twilio("kvajT1Ptam85bY51eRf/AJRuM3w=", call, undefined, other)).toEqual(refused("signature mismatch"));
  });

  it("signs an apostrophe in the query as an escape, however it came", () => {
    for (const query of ["foo=1&bar=2&Body=It%27s+amazing", "foo=1&bar=2&Body=It's+amazing"]) {
      expect(twilio("TfZzewPq8wqrGlMfyAud8+/IvJ0=", call, query)).toEqual(verified);
    }
  });

  it("does not sign http, users or passwords: such a URL is no public URL", () => {
    for (const [publicUrl, signature] of [
      ["http://mycompany.com:80/myapp.php", "0ZXoZLH/DfblKGATFgpif+LLRf4="],
      ["http://mycompany.com:1234/myapp.php", "Zmvh+3yNM1Phv2jhDCwEM3q5ebU="],
      ["https://user:pass@mycompany.com/myapp.php", "CukzLTc1tT5dXEDIHm/tKBanW10="],
    ] as const) {
      expect(twilio(signature, call, undefined, publicUrl)).toMatchObject({
        reason: expect.stringContaining("verification.publicUrl must be"),
      });
    }
  });

  describe("with a JSON body", () => {
    const hashed = "foo=1&bar=2&bodySHA256=0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620";
    const json = '{"property": "value", "boolean": true}';
    const signature = "a9nBmqA0ju/hNViExpshrM61xv4=";

    it("checks the signature of the URL and the hash of the body", () => {
      expect(twilio(signature, json, hashed)).toEqual(verified);
      expect(twilio(signature, json.replace("true", "trud"), hashed)).toEqual(refused("bodySHA256 mismatch"));
      expect(twilio(signature, json, `${hashed}&x=1`)).toEqual(refused("signature mismatch"));
      expect(twilio(signature, json, `${hashed}&bodySHA256=00`)).toEqual(refused("bodySHA256 mismatch"));
      expect(twilio(signature, json, hashed.replace("0a1f", "0A1F"))).toEqual(refused("signature mismatch"));
    });

    it("refuses it without its hash, although the URL's signature is right", () => {
      const ofUrl = createHmac("sha1", "12345").update("https://mycompany.com/myapp.php?foo=1").digest("base64");
      expect(twilio(ofUrl, "", "foo=1")).toEqual(verified);
      const reason = "a JSON body without bodySHA256 in the query is not covered by the signature";
      for (const body of [json, " [1]", "\r\n{}"]) expect(twilio(ofUrl, body, "foo=1")).toEqual(refused(reason));
    });
  });

  it("reads a form as browsers do, up to 2,000 fields", () => {
    const signedFields = (fields: string) =>
      createHmac("sha1", "12345").update(`https://mycompany.com/myapp.php${fields}`).digest("base64");
    const lenient = "&&a=%C3%A9+%2b&b&=c&d=e=f&g=%zz%4&";
    expect(twilio(signedFields("caé +bde=fg%zz%4"), lenient, "")).toMatchObject({ ok: true });
    const fields = (count: number) => Array.from({ length: count }, (_, index) => `f${index}=`).join("&");
    const names = Array.from({ length: 2_000 }, (_, index) => `f${index}`).toSorted(
      (a, b) => Number(a > b) - Number(a < b),
    );
    expect(twilio(signedFields(names.join("")), fields(2_000), "")).toEqual(verified);
    expect(twilio(signedFields(""), "&".repeat(6_000_000), "")).toEqual(refused("body is not a form in UTF-8"));
  });

  it("refuses a form that is not UTF-8: two of them could be one", () => {
    expect(twilio("RSOYDt4T1cUTdK1PDd93/VVr8B8=", "a=%FF")).toEqual(refused("body is not a form in UTF-8"));
  });
});

describe("Linear", () => {
  const linear = (fields: object, nowMs: number) => {
    const body = Buffer.from(JSON.stringify(fields));
    const headers: Headers = [["Linear-Signature", createHmac("sha256", "s").update(body).digest("hex")]];
    return check({ scheme: "linear" }, "s", { headers, body, nowMs });
  };

  it("takes the time from the signed body, up to a minute off", () => {
    expect(linear({ webhookTimestamp: 1_000_000 }, 1_060_000)).toEqual(verified);
    expect(linear({ webhookTimestamp: 1_000_000 }, 1_060_001)).toEqual(refused("timestamp is too old"));
    expect(linear({ webhookTimestamp: 1_000_000 }, 939_999)).toEqual(refused("timestamp is in the future"));
    for (const webhookTimestamp of [undefined, "1000000", 1.5, -1, null]) {
      expect(linear({ webhookTimestamp }, 0)).toEqual(refused("timestamp is not a whole number of milliseconds"));
    }
  });
});

describe("Mailgun", () => {
  const token = "e0b5477167110d68991efc6b9f89f0a11066af27834600e123";
  const mailgun = (signature: object, nowMs: number) =>
    check({ scheme: "mailgun" }, "s", { body: Buffer.from(JSON.stringify({ signature, "event-data": {} })), nowMs });
  const digest = (secret: string) => createHmac("sha256", secret).update(`1000${token}`).digest("hex");

  it("takes the account's own signature or that of the main account, for 8 hours", () => {
    const own = { timestamp: "1000", token, signature: digest("s") };
    expect(mailgun(own, 29_800_000)).toEqual(verified);
    expect(mailgun(own, 29_800_001)).toEqual(refused("timestamp is too old"));
    expect(mailgun({ ...own, timestamp: 1000 }, 0)).toEqual(verified);
    const ofSubaccount = { ...own, signature: digest("another"), "parent-signature": digest("s") };
    expect(mailgun(ofSubaccount, 0)).toEqual(verified);
    expect(mailgun({ ...own, signature: digest("another") }, 0)).toEqual(refused("signature mismatch"));
    for (const wrong of [{}, { ...own, token: "" }, { ...own, token: 5 }, null, []]) {
      expect(mailgun(wrong as object, 0)).toEqual(refused("no signature object in the body"));
    }
  });

  it("parses no more than 1 MiB of what nobody has vouched for", () => {
    const signature = { timestamp: "1000", token, signature: digest("s") };
    const sized = (bytes: number) =>
      check({ scheme: "mailgun" }, "s", { body: Buffer.from(JSON.stringify({ signature }).padEnd(bytes)), nowMs: 0 });
    expect(sized(1024 * 1024)).toEqual(verified);
    expect(sized(1024 * 1024 + 1)).toEqual(refused("body is too large for Mailgun"));
  });
});

describe("providers with one vector", () => {
  it("Shopify verifies base64 only, once", () => {
    const body = Buffer.from('{"id":1234567890,"email":"customer@example.com","total_price":"123.45"}');
    const good = "QNyObTlKbMx2qDlPF/ZOZcBqg5OgPg+2oky3zldc0Gw=";
    const shopify = (...values: string[]) => {
      const headers: Headers = values.map((value) => ["X-Shopify-Hmac-Sha256", value]);
      return check({ scheme: "shopify" }, "test-webhook-secret", { headers, body });
    };
    expect(shopify(good)).toEqual(verified);
    expect(shopify()).toEqual(refused("missing signature header"));
    const others = [
      [good, good],
      [Buffer.from(good, "base64").toString("hex")],
      [good.replace("w=", "x=")],
      [`${good} `, "x"],
    ];
    for (const values of others)
      expect(shopify(...values)).toEqual(refused("signature is not one sha256 digest in base64"));
  });

  it("SendGrid", () => {
    const key =
      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEDr2LjtURuePQzplybdC+u4CwrqDqBaWjcMMsTbhdbcwHBcepxo7yAQGhHPTnlvFYPAZFceEu/1FwCM/QmGUhA==";
    const good = "MEUCIQCtIHJeH93Y+qpYeWrySphQgpNGNr/U+UyUlBkU6n7RAwIgJTz2C+8a8xonZGi6BpSzoQsbVRamr2nlxFDWYNH2j/0=";
    const body = '{"category":"example_payload","event":"test_event","message_id":"message_id"}';
    const sendgrid = (text: string, signature: string) =>
      check({ scheme: "sendgrid" }, key, {
        headers: [
          ["X-Twilio-Email-Event-Webhook-Signature", signature],
          ["X-Twilio-Email-Event-Webhook-Timestamp", "1588788367"],
        ],
        body: Buffer.from(text),
        nowMs: 1588788367_000,
      });
    expect(sendgrid(body, good)).toEqual(verified);
    expect(sendgrid(body, good.replace("NH2j", "NH3j"))).toEqual(refused("signature mismatch"));
    expect(sendgrid(`${body}\r\n`, good)).toEqual(refused("signature mismatch"));
    expect(sendgrid(body, "")).toEqual(refused("signature is not one ecdsa signature in base64"));
  });

  it("Square", () => {
    const square = (publicUrl: string) =>
      check({ scheme: "square", publicUrl }, "asdf1234", {
        headers: [["x-square-hmacsha256-signature", "2kRE5qRU2tR+tBGlDwMEw2avJ7QM4ikPYD/PJ3bd9Og="]],
        body: Buffer.from('{"hello":"world"}'),
      });
    expect(square("https://example.com/webhook")).toEqual(verified);
    expect(square("https://example.com/webhook/")).toEqual(refused("signature mismatch"));
  });

  it("HubSpot, with the escapes that it decodes", () => {
    const hubspot = (signature: string, body: string, timestamp: string, query = "") =>
      check(
        { scheme: "hubspot", publicUrl: "https://www.example.com/webhook_uri" },
        "yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy",
        {
          headers: [
            ["X-HubSpot-Signature-v3", signature],
            ["X-HubSpot-Request-Timestamp", timestamp],
          ],
          body: Buffer.from(body),
          query,
          nowMs: Number(timestamp) + 1_000,
        },
      );
    const body = "{'example_field':'example_value'}";
    expect(hubspot("K36dawei4A+QBNolUOqo7s91KQDWQ5MXZ/QufNYuk/Y=", body, "1693657560000")).toEqual(verified);
    expect(hubspot("RnbPH7+UMKVkbV32P8bz450N4M56aPmcru1+D3kSDtw=", body, "1700000300000")).toEqual(verified);
    const signed = "POSThttps://www.example.com/webhook_uri?to=https://x.example/?a@b!%20%26[]1700000300000";
    const digest = createHmac("sha256", "yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy").update(signed).digest("base64");
    const query = "to=https%3A%2F%2fx.example/%3Fa%40b%21%20%26";
    expect(hubspot(digest, "[]", "1700000300000", query)).toEqual(verified);
  });
});
