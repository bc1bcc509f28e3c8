import { expect, test } from "vitest";
import { presignGet } from "../../../functions/adapters/aws/presign.js";

const credentials = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};

test("a presigned URL is the one of the Amazon S3 documentation's example", () => {
  const url = presignGet({
    url: "https://examplebucket.s3.amazonaws.com/test.txt",
    region: "us-east-1",
    credentials,
    nowMs: Date.UTC(2013, 4, 24),
    expiresSeconds: 86_400,
  });
  expect(url).toBe(
    "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256" +
      "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request" +
      "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host" +
      "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
  );
});

test("a session token and further parameters are part of what is signed", () => {
  const sign = (query: Record<string, string>, sessionToken?: string) =>
    new URL(
      presignGet({
        url: "https://b.example/k",
        region: "eu-west-1",
        credentials: { ...credentials, sessionToken },
        query,
        nowMs: 0,
        expiresSeconds: 1,
      }),
    ).searchParams;
  const plain = sign({});
  const named = sign({ "response-content-disposition": 'attachment; filename="a(1).body"' });
  const withToken = sign({}, "token/+=");
  expect(named.get("response-content-disposition")).toBe('attachment; filename="a(1).body"');
  expect(withToken.get("X-Amz-Security-Token")).toBe("token/+=");
  expect(new Set([plain, named, withToken].map((query) => query.get("X-Amz-Signature"))).size).toBe(3);
});
