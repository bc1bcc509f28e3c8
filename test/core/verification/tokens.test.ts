import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Headers, Verification } from "../../../functions/core/model.js";
import { storableHeaders } from "../../../functions/core/outbound-headers.js";
import { verify } from "../../../functions/core/verification/verify.js";
import { whsec } from "./references.js";

const body = Buffer.from("{}");
const check = (verification: Omit<Verification, "onFailure">, secrets: readonly string[], headers: Headers) =>
  verify(
    { onFailure: "reject", ...verification },
    secrets.map((value, index) => ({ id: `sec_${index}`, value })),
    { method: "POST", suffix: "", query: "", headers, body, nowMs: 0 },
  );

describe("basic authentication", () => {
  const basic = (value: string) => check({ scheme: "basic" }, ["ann:p:ä"], [["Authorization", value]]);
  const credentials = Buffer.from("ann:p:ä").toString("base64");

  it("takes user and password in UTF-8, and the scheme's name in any case", () => {
    expect(basic(`Basic ${credentials}`).ok).toBe(true);
    expect(basic(`BASIC  ${credentials}`).ok).toBe(true);
  });

  it.each([
    ["Basic YW5uOnA=", "credentials mismatch"],
    ["Basic ", "authorization is not Basic with base64"],
    ["Basic YW5uOnA", "authorization is not Basic with base64"],
    [`Bearer ${credentials}`, "authorization is not Basic with base64"],
    [`Basic ${credentials},Basic ${credentials}`, "authorization is not Basic with base64"],
    ["Basic YW5uOnA6w4Q=", "credentials mismatch"],
  ])("refuses %s", (value, reason) => {
    expect(basic(value)).toEqual({ ok: false, reason });
  });
});

describe("a token in a header", () => {
  const token = (header: string, ...values: string[]) =>
    check(
      { scheme: "header-token", headerToken: { header } },
      ["first", "second"],
      values.map((value) => ["x-token", value]),
    );

  it("is one of the live secrets, exactly", () => {
    expect(token("X-TOKEN", "first")).toEqual({ ok: true, secretId: "sec_0" });
    expect(token("X-Token", "second")).toEqual({ ok: true, secretId: "sec_1" });
    for (const value of ["First", "firs", "firstt", "", "first,second", "é".repeat(9), "x".repeat(70_000)]) {
      expect(token("x-token", value)).toEqual({ ok: false, reason: "token mismatch" });
    }
    expect(token("x-token", "first", "first")).toEqual({ ok: false, reason: "token mismatch" });
    expect(token("x-token")).toEqual({ ok: false, reason: "missing token header" });
  });
});

describe("GitLab with a secret token beside a signing token", () => {
  const signed = (key: string): Headers => [
    ["webhook-id", "1"],
    ["webhook-timestamp", "0"],
    ["webhook-signature", `v1,${createHmac("sha256", Buffer.from(key, "base64")).update("1.0.{}").digest("base64")}`],
  ];
  const key = whsec.slice("whsec_".length);
  const token: Headers = [["X-Gitlab-Token", "token"]];

  it("takes either, but not the token where only signing is configured", () => {
    expect(check({ scheme: "gitlab" }, [whsec, "token"], signed(key))).toEqual({ ok: true, secretId: "sec_0" });
    expect(check({ scheme: "gitlab" }, [whsec, "token"], token)).toEqual({ ok: true, secretId: "sec_1" });
    expect(check({ scheme: "gitlab" }, [whsec], token).ok).toBe(false);
    expect(check({ scheme: "gitlab" }, [whsec], [["x-gitlab-token", whsec]]).ok).toBe(false);
  });

  it("does not fall back to the token when a signature is wrong", () => {
    const wrong = [...signed(Buffer.alloc(32, 1).toString("base64")), ...token];
    expect(check({ scheme: "gitlab" }, [whsec, "token"], wrong)).toEqual({ ok: false, reason: "signature mismatch" });
  });
});

describe("headers with a credential", () => {
  const received: Headers = [
    ["authorization", "Basic YTpi"],
    ["x-gitlab-token", "t"],
    ["x-token", "t"],
    ["x-hub-signature-256", "sha256=00"],
    ["x-amz-security-token", "t"],
    ["content-type", "text/plain"],
  ];
  const kept = (verification: Omit<Verification, "onFailure">) =>
    storableHeaders(received, { onFailure: "quarantine", ...verification }).map(([name]) => name);

  it("are not stored, while signatures are", () => {
    const all = received.map(([name]) => name);
    expect(kept({ scheme: "github" })).toEqual(all);
    expect(kept({ scheme: "basic" })).toEqual(all.filter((name) => name !== "authorization"));
    expect(kept({ scheme: "gitlab" })).toEqual(all.filter((name) => name !== "x-gitlab-token"));
    expect(kept({ scheme: "header-token", headerToken: { header: "X-Token" } })).toEqual(
      all.filter((name) => name !== "x-token"),
    );
    expect(kept({ scheme: "iam" })).not.toContain("x-amz-security-token");
    expect(kept({ scheme: "from the future" as "iam" })).toEqual(all);
  });
});
