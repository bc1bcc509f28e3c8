import { describe, expect, it } from "vitest";
import { readGatewayEvent } from "../../functions/ingress/gateway-event.js";
import { httpApiEvent } from "../support/http-api-event.js";

const form = "token=xyzz0WbapA4vBCDEFasx0q6G&command=%2Fwebhook-collect&text=";

describe("an event of the gateway", () => {
  it.each([
    ["base64", { body: Buffer.from(form).toString("base64"), isBase64Encoded: true }],
    ["base64 with the flag as text", { body: Buffer.from(form).toString("base64"), isBase64Encoded: "true" }],
    ["text", { body: form, isBase64Encoded: false }],
    ["text without a flag", { body: form }],
  ])("gives the same bytes when the body comes as %s", (_, fields) => {
    const request = readGatewayEvent({ ...httpApiEvent(), ...fields });
    expect(request.body().toString()).toBe(form);
    expect(request.bodyBytes).toBe(form.length);
  });

  it("never decodes text, even when it looks like base64", () => {
    const request = readGatewayEvent({ ...httpApiEvent(), body: "aGVsbG8=", isBase64Encoded: false });
    expect(request.body().toString()).toBe("aGVsbG8=");
  });

  it.each([[undefined], [null], [""], [7], [{}]])("has zero bytes when the body is %j", (body) => {
    const request = readGatewayEvent({ ...httpApiEvent(), body, isBase64Encoded: false });
    expect(request.body()).toEqual(Buffer.alloc(0));
    expect(request.bodyBytes).toBe(0);
  });

  it("has header names in lower case and values as they came", () => {
    const { headers } = readGatewayEvent({
      headers: { "X-Hub-Signature-256": "sha256=é", "x-n": 7, "x-u": undefined },
    });
    expect(headers).toEqual([["x-hub-signature-256", "sha256=é"]]);
  });

  it("has no cookies, which payload 2.0 keeps apart from the headers", () => {
    const event = httpApiEvent({ headers: { cookie: "session=1; theme=dark", "x-a": "1" } });
    expect(readGatewayEvent(event).headers).toEqual([
      ["host", "relay.example"],
      ["x-a", "1"],
    ]);
  });

  it("joins repeated headers of payload 1.0 by comma, in order, whatever their case", () => {
    const event = { headers: { "X-A": "2" }, multiValueHeaders: { "X-A": ["1", "2"], "x-a": ["3"], "X-B": ["b"] } };
    expect(readGatewayEvent(event).headers).toEqual([
      ["x-a", "1,2,3"],
      ["x-b", "b"],
    ]);
  });

  it("keeps the raw query of payload 2.0", () => {
    expect(readGatewayEvent(httpApiEvent({ query: "b=2&a=%20~'&b=1&c" })).query).toBe("b=2&a=%20~'&b=1&c");
  });

  it("writes the decoded parameters of payload 1.0 as a query again, repeated ones too", () => {
    const event = { httpMethod: "POST", multiValueQueryStringParameters: { a: ["1 &", "ü"], "b[]": [""] } };
    expect(readGatewayEvent(event).query).toBe("a=1%20%26&a=%C3%BC&b%5B%5D=");
  });

  it.each([
    ["/prod/in/src/", "prod", "/in/src/"],
    ["/$default/in/src", "$default", "/in/src"],
    ["/in/src", "$default", "/in/src"],
    ["/in/src/prod/in", "prod", "/in/src/prod/in"],
    ["/production/in/src", "prod", "/production/in/src"],
    ["/prod/prod/in", "prod", "/prod/in"],
  ])("at %s on stage %s has the path %s", (rawPath, stage, path) => {
    expect(readGatewayEvent({ rawPath, requestContext: { stage } }).path).toBe(path);
  });

  it("reads method and path of payload 1.0", () => {
    expect(readGatewayEvent({ httpMethod: "put", path: "/in/src" })).toMatchObject({ method: "PUT", path: "/in/src" });
  });
});
