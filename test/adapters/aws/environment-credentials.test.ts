import { SQSClient } from "@aws-sdk/client-sqs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { defaultProvider } from "../../../functions/adapters/aws/environment-credentials.js";

afterEach(() => vi.unstubAllEnvs());

const inEnvironment = (id: string, key: string, token: string) => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", id);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", key);
  vi.stubEnv("AWS_SESSION_TOKEN", token);
};

describe("credentials of the environment", () => {
  it("are what a client signs with", async () => {
    inEnvironment("AKIDEXAMPLE", "key", "session");
    const client = new SQSClient({ region: "us-east-1", credentialDefaultProvider: defaultProvider });
    expect(await client.config.credentials()).toMatchObject({
      accessKeyId: "AKIDEXAMPLE",
      secretAccessKey: "key",
      sessionToken: "session",
    });
  });

  it("may come without a session", async () => {
    inEnvironment("AKIDEXAMPLE", "key", "");
    expect(await defaultProvider()()).toEqual({ accessKeyId: "AKIDEXAMPLE", secretAccessKey: "key" });
  });

  it("are missed with an error that says so", async () => {
    inEnvironment("", "", "");
    await expect(defaultProvider()()).rejects.toThrow("The environment holds no AWS credentials.");
  });
});
