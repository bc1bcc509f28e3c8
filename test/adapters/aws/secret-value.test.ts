import { afterEach, expect, it } from "vitest";
import { secretValue } from "../../../functions/adapters/aws/secret-value.js";
import { type AwsStub, startAwsStub } from "../../support/aws-stub.js";

let stub: AwsStub;
let nowMs = 0;
afterEach(() => stub.close());

const valueAt = ({ endpoint }: AwsStub) =>
  secretValue(
    {
      service: "secretsmanager",
      region: "eu-west-1",
      endpoint,
      credentials: async () => ({ accessKeyId: "a", secretAccessKey: "s" }),
      now: () => nowMs,
    },
    "arn:secret",
  );

it("a secret's value is kept for five minutes, then read again", async () => {
  stub = await startAwsStub((_call, earlier) => ({ body: { SecretString: `value ${earlier}` } }));
  const value = valueAt(stub);
  expect([await value(), await value()]).toEqual(["value 0", "value 0"]);
  nowMs += 5 * 60_000;
  expect(await value()).toBe("value 1");
  expect(stub.calls[0]).toMatchObject({ operation: "GetSecretValue", json: { SecretId: "arn:secret" } });
});

it.each([
  ["bytes", { body: { SecretBinary: "AAAA" } }, /The secret has no text, but bytes/],
  [
    "a refusal",
    { status: 400, body: { __type: "AccessDeniedException" } },
    /GetSecretValue was answered with 400: .*AccessDenied/,
  ],
])("instead of a value, %s are an error that says so", async (_what, answer, message) => {
  stub = await startAwsStub(() => answer);
  await expect(valueAt(stub)()).rejects.toThrow(message);
});

it("an answer that is no JSON is not quoted: it may be the secret", async () => {
  stub = await startAwsStub(() => ({ body: "very-secret" }));
  const failure = await valueAt(stub)().catch((error: Error) => error.message);
  expect(failure).toMatch(/11 characters that are no JSON/);
  expect(failure).not.toContain("very");
});
