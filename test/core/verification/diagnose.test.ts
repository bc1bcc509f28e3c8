import { createHmac } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Verification } from "../../../functions/core/model.js";
import { diagnose } from "../../../functions/core/verification/diagnose.js";
import type { VerifiableRequest } from "../../../functions/core/verification/scheme.js";
import { references } from "./references.js";

const nowMs = Date.UTC(2026, 0, 1);
const secret = "a shared secret";
const github: Verification = { scheme: "github", onFailure: "reject" };
const digest = (key: string | Buffer, ...parts: (string | Buffer)[]) =>
  parts.reduce((hmac, part) => hmac.update(part), createHmac("sha256", key));

const request = (more: Partial<VerifiableRequest>): VerifiableRequest => ({
  method: "POST",
  suffix: "",
  query: "",
  headers: [],
  body: Buffer.alloc(0),
  nowMs,
  ...more,
});

/** What GitHub signed, and what is at hand of it. */
const hintsFor = (signed: string | Buffer, body: string | Buffer, headers: VerifiableRequest["headers"] = []) => {
  const signature = `sha256=${digest(secret, signed).digest("hex")}`;
  const saved = request({ body: Buffer.from(body), headers: [["x-hub-signature-256", signature], ...headers] });
  return diagnose(github, [{ id: "sec_1", value: secret }], saved);
};

const under = (verification: Omit<Verification, "onFailure">, value: string, saved: VerifiableRequest) =>
  diagnose({ onFailure: "reject", ...verification }, [{ id: "sec_1", value }], saved);

describe("a diagnosis", () => {
  it.each(references.map((reference) => [reference.name, reference] as const))(
    "finds nothing wrong with %s",
    (_, one) => {
      const genuine = one.request(Buffer.from("{}"), nowMs);
      expect(under(one.verification, one.secret, genuine)).toMatchObject({
        verified: true,
        secretId: "sec_1",
        hints: [],
      });
    },
  );

  it("says that a source which does not verify takes everything", () => {
    expect(diagnose(null, [], request({}))).toMatchObject({ verified: true, secretId: null, reason: null });
  });

  it.each<[string, string | Buffer, string | Buffer]>([
    ["without the line break at its end", "{}", "{}\n"],
    ["without the line break at its end", "{}", "{}\r\n"],
    ["with a line break at its end", "{}\n", "{}"],
    ["without the white space around it", "{}", "  {}\n\n"],
    ["with LF in place of CRLF", "a\nb\n", "a\r\nb\r\n"],
    ["with CRLF in place of LF", "a\r\nb\r\n", "a\nb\n"],
    ["without its byte order mark", '{"a":"é"}', '\ufeff{"a":"é"}'],
    ["decoded from base64", Buffer.from([0x7b, 0xff, 0x7d]), Buffer.from([0x7b, 0xff, 0x7d]).toString("base64")],
    ["as compact JSON", '{"a":1,"b":[1,2]}', '{ "a": 1,\n  "b": [1, 2] }'],
    ["as compact JSON with / written as \\/", '{"a":"b\\/c"}', '{"a":"b/c"}'],
    ["as compact JSON in ASCII (\\u… for all else)", '{"a":"\\u00e9"}', '{"a":"é"}'],
    ["as JSON with a space after comma and colon", '{"a": 1, "b": [1, 2]}', '{"a":1,"b":[1,2]}'],
    ["as JSON indented by two spaces", '{\n  "a": 1\n}', '{"a":1}'],
  ])("says that it verifies %s", (what, signed, saved) => {
    const found = hintsFor(signed, saved);
    expect(found).toMatchObject({ verified: false, reason: "signature mismatch" });
    expect(found.hints).toEqual([`It verifies ${what}: something on the way, or in saving it, changes the body.`]);
  });

  it("says that the body was signed before it was compressed", () => {
    const { hints } = hintsFor("{}", gzipSync("{}"), [["content-encoding", "gzip"]]);
    expect(hints[0]).toContain("It verifies without its content-encoding");
  });

  it("says that it is another secret when nothing helps, and no usual change where none is needed", () => {
    expect(hintsFor('{"a":1}', '{"a":2}').hints).toEqual([expect.stringContaining("the secret is another one")]);
    expect(diagnose(github, [{ id: "sec_1", value: secret }], request({})).hints).toEqual([]);
  });

  it("says that only the time is off, also for a body that was changed", () => {
    const stripe = (body: string) => {
      const [seconds, signed] = [String(nowMs / 1000 - 9_000), "{}"];
      const v1 = digest("whsec_1", `${seconds}.`, signed).digest("hex");
      return under({ scheme: "stripe" }, "whsec_1", {
        ...request({ body: Buffer.from(body) }),
        headers: [["stripe-signature", `t=${seconds},v1=${v1}`]],
      });
    };
    expect(stripe("{}")).toMatchObject({ verified: false, reason: "timestamp is too old" });
    expect(stripe("{}").hints[0]).toContain("only its time is off");
    expect(stripe("{}\n").hints[0]).toContain("without the line break at its end");
  });

  it("says how the key is written, and what of its prefix belongs to it", () => {
    const key = Buffer.alloc(32, 7);
    const hmac = { header: "x-signature", prefix: "", algorithm: "sha256", encoding: "hex" } as const;
    const signed = (by: string | Buffer) =>
      request({ body: Buffer.from("{}"), headers: [["x-signature", digest(by, "{}").digest("hex")]] });
    const hints = (value: string, by: string | Buffer) => under({ scheme: "hmac", hmac }, value, signed(by)).hints;
    expect(hints(key.toString("hex"), key)).toEqual(["It verifies with secretEncoding hex."]);
    expect(hints(key.toString("base64"), key)).toEqual(["It verifies with secretEncoding base64."]);
    expect(hints("abc", "whsec_abc")).toEqual(["It verifies with whsec_ before the secret: it is part of it."]);
    expect(hints("whsec_abc", "abc")).toEqual(["It verifies without whsec_ before the secret."]);
    expect(hints(" abc\n", "abc")).toEqual(["It verifies with the white space around the secret removed."]);
  });

  it("says which URL the provider has", () => {
    const publicUrl = "https://hooks.example/in/src";
    const square = (url: string, more: Partial<VerifiableRequest> = {}) => {
      const signature = digest(secret, url, "{}").digest("base64");
      const headers: VerifiableRequest["headers"] = [
        ["x-square-hmacsha256-signature", signature],
        ["host", "x.example"],
      ];
      return under({ scheme: "square", publicUrl }, secret, request({ body: Buffer.from("{}"), headers, ...more }));
    };
    expect(square(publicUrl).verified).toBe(true);
    expect(square(`${publicUrl}/`).hints[0]).toContain("with publicUrl https://hooks.example/in/src/:");
    expect(square("https://x.example/in/src").hints[0]).toContain("with publicUrl https://x.example/in/src:");
    expect(square(publicUrl, { query: "a=1" }).hints[0]).toContain("without the query");
  });

  it("shows no secret and no right signature, whatever comes of it", () => {
    for (const { verification, secret: value, request: make } of references) {
      const wrong = make(Buffer.from("{}"), nowMs, (bytes) => Buffer.from(bytes.map((byte) => byte ^ 1)));
      const found = JSON.stringify(under(verification, value, wrong));
      expect(found).not.toContain(value);
    }
  });
});
