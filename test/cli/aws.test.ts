import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { connect } from "../../cli/connection.js";
import { runCli } from "./run-cli.js";
import { checkedSignature, type Signature } from "./signature-check.js";

const secretAccessKey = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
  readonly signature: Signature | null;
}

/** An API Gateway that lets in whoever signs with the known credentials, and a CloudFormation beside it. */
let server: Server;
let origin: string;
let calls: Call[];
/** Outputs of the stack "Relay", as description and value. */
let outputs: ReadonlyArray<readonly [description: string, value: string]>;
let folder: string;

beforeEach(async () => {
  calls = [];
  folder = mkdtempSync(join(tmpdir(), "steadyhook-aws-"));
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { status, type, body, headers = {} } = answerTo(request, Buffer.concat(chunks));
      response.writeHead(status, { "content-type": type, ...headers }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  outputs = relayOutputs("Relay/Relay");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", secretAccessKey);
  vi.stubEnv("AWS_SESSION_TOKEN", "a-session/token+==");
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_CONFIG_FILE", join(folder, "config"));
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", join(folder, "credentials"));
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
  vi.stubEnv("AWS_ENDPOINT_URL_CLOUDFORMATION", `${origin}/cloudformation`);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  rmSync(folder, { recursive: true });
});

const relayOutputs = (path: string, base = origin) =>
  [
    [`Steadyhook IngressUrl (${path}): providers send to this URL followed by /{sourceId}`, "https://hooks.example/in"],
    [`Steadyhook PublishUrl (${path}): services publish to this URL`, `${base}/publish`],
    [`Steadyhook AdminUrl (${path}): base URL of the admin API, signed with IAM`, `${base}/admin`],
    ["Somebody else's output", "x"],
  ] as const;

interface StubAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  readonly headers?: Record<string, string>;
}

function answerTo(request: IncomingMessage, body: Buffer): StubAnswer {
  const url = request.url ?? "";
  if (url.startsWith("/cloudformation")) return describeStacks(body.toString());
  const signature = checkedSignature(request, body, secretAccessKey);
  calls.push({ method: request.method ?? "", url, headers: request.headers, body, signature });
  if (url.startsWith("/bucket")) return { status: 200, type: "application/octet-stream", body: "the body" };
  if (signature === null) return { status: 403, type: "application/json", body: '{"message":"Forbidden"}' };
  if (url.endsWith("/body")) {
    return {
      status: 302,
      type: "text/plain",
      body: "",
      headers: { location: `${origin}/bucket/key?X-Amz-Signature=1` },
    };
  }
  const answer = url.startsWith("/publish/") ? { eventId: "evt_1" } : { items: [], cursor: null };
  return { status: 200, type: "application/json", body: JSON.stringify(answer) };
}

/** The answer of CloudFormation's query protocol. */
function describeStacks(body: string): StubAnswer {
  const name = new URLSearchParams(body).get("StackName");
  if (name !== "Relay") {
    const message = `Stack with id ${name} does not exist`;
    const error = `<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>${message}</Message></Error></ErrorResponse>`;
    return { status: 400, type: "text/xml", body: error };
  }
  const members = outputs.map(
    ([description, value], index) =>
      `<member><OutputKey>RelayOutput${index}A1B2</OutputKey><OutputValue>${value}</OutputValue>` +
      `<Description>${description}</Description></member>`,
  );
  const id = "<StackId>arn:aws:cloudformation:eu-central-1:123456789012:stack/Relay/8f2c</StackId>";
  const stack = `<member>${id}<StackName>Relay</StackName><Outputs>${members.join("")}</Outputs></member>`;
  const result = `<DescribeStacksResult><Stacks>${stack}</Stacks></DescribeStacksResult>`;
  return { status: 200, type: "text/xml", body: `<DescribeStacksResponse>${result}</DescribeStacksResponse>` };
}

const only = (): Call => {
  expect(calls).toHaveLength(1);
  return calls[0] as Call;
};

describe("a relay of a stack", () => {
  it("is found by its outputs' descriptions, and its calls are signed for execute-api", async () => {
    const { code, stdout } = await runCli(["sources", "list", "--stack", "Relay", "--json"]);
    expect({ code, answer: JSON.parse(stdout) }).toEqual({ code: 0, answer: { items: [], cursor: null } });
    const { signature, url, headers } = only();
    expect(url).toBe("/admin/sources?limit=100");
    expect(signature).toMatchObject({ accessKeyId: "AKIDEXAMPLE", region: "eu-central-1", service: "execute-api" });
    expect(signature?.signedHeaders).toEqual(expect.arrayContaining(["host", "x-amz-date", "x-amz-security-token"]));
    expect(headers["x-amz-security-token"]).toBe("a-session/token+==");
  });

  it("is chosen by --relay where the stack has several", async () => {
    outputs = [...relayOutputs("Relay/A", "http://127.0.0.1:9"), ...relayOutputs("Relay/B")];
    const { code, stderr } = await runCli(["stats", "--stack", "Relay"]);
    expect(code).toBe(2);
    expect(stderr).toContain("--relay Relay/A or --relay Relay/B");
    expect((await runCli(["sources", "list", "--stack", "Relay", "--relay", "Relay/B"])).code).toBe(0);
    expect(only().signature).not.toBeNull();
  });

  it("that is not there is named with its region", async () => {
    const { code, stderr } = await runCli(["stats", "--stack", "Rely", "--region", "us-west-2"]);
    expect(code).toBe(1);
    expect(stderr).toContain('There is no stack "Rely" in us-west-2.');
  });

  it("that is none of ours is called that", async () => {
    outputs = [["an output", "x"]];
    const { code, stderr } = await runCli(["stats", "--stack", "Relay"]);
    expect(code).toBe(1);
    expect(stderr).toContain("has no relay of Steadyhook");
  });
});

describe("iam-policy --stack", () => {
  const policy = (...args: string[]) => runCli(["iam-policy", ...args, "--stack", "Relay"]);

  it("names the stack's own API, and the stack where it has to be found", async () => {
    outputs = relayOutputs("Relay/Relay", "https://a1b2c3.execute-api.eu-central-1.amazonaws.com");
    const { code, stdout, stderr } = await policy("publish", "--find-stack");
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout).Statement.map(({ Resource }: { Resource: string[] }) => Resource)).toEqual([
      ["arn:aws:execute-api:eu-central-1:123456789012:a1b2c3/$default/POST/publish/*"],
      ["arn:aws:cloudformation:eu-central-1:123456789012:stack/Relay/*"],
    ]);
  });

  it("asks for the API's id where a domain hides it", async () => {
    outputs = relayOutputs("Relay/Relay", "https://hooks.example.com");
    const { code, stderr } = await policy("read");
    expect([code, stderr]).toEqual([2, expect.stringContaining("Pass --api-id: aws cloudformation")]);
    expect((await policy("read", "--api-id", "a1b2c3")).stdout).toContain(":a1b2c3/$default/GET/admin/*");
    expect((await policy("deploy")).stdout).toContain("cdk-hnb659fds-deploy-role-123456789012-eu-central-1");
  });
});

describe("a signature", () => {
  const signed = (...args: string[]) => runCli([...args, "--url", origin, "--region", "ap-south-1", "--json"]);

  it("covers a path and a query that have to be escaped", async () => {
    await signed("sources", "show", "a b/ü*'");
    await signed("deliveries", "list", "--cursor", "a+b c~*'()/=&ü");
    expect(calls.map(({ signature }) => signature?.region)).toEqual(["ap-south-1", "ap-south-1"]);
    expect(calls[0]?.url).toBe("/admin/sources/a%20b%2F%C3%BC*'");
    expect(new URLSearchParams(calls[1]?.url.split("?")[1]).get("cursor")).toBe("a+b c~*'()/=&ü");
  });

  it("covers the body and the headers of what is published", async () => {
    const args = ["publish", "shop", "--type", "order.paid", "--idempotency-key", "k 1", "--data", "\u0000ü"];
    expect((await signed(...args)).code).toBe(0);
    const { signature, headers, body } = only();
    expect(body.toString()).toBe("\u0000ü");
    expect(signature?.signedHeaders).toEqual(
      expect.arrayContaining(["content-type", "idempotency-key", "steadyhook-event-type"]),
    );
    expect(headers).toMatchObject({ "steadyhook-event-type": "order.paid", "idempotency-key": "k 1" });
  });

  it("covers If-Match, so that nobody can take it out", async () => {
    await signed("sources", "update", "shop", "--description", "x", "--if-version", "3");
    expect(only().signature?.signedHeaders).toContain("if-match");
    expect(only().headers["if-match"]).toBe('"3"');
  });

  it("does not travel on to where a body is fetched from", async () => {
    const { stdout } = await signed("events", "body", "evt_1");
    expect(stdout).toBe("the body");
    expect(calls[1]?.headers).not.toHaveProperty("authorization");
    expect(calls[1]?.headers).not.toHaveProperty("x-amz-security-token");
  });

  it("of the wrong credentials is refused with what to check", async () => {
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "wrong");
    const { code, stderr } = await signed("sources", "list");
    expect(code).toBe(1);
    expect(stderr).toContain("Forbidden");
    expect(stderr).toContain("--profile and --region");
  });

  it("is made with the credentials of --profile", async () => {
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]) vi.stubEnv(name, undefined);
    const keys = `aws_access_key_id = PROFILEKEY\naws_secret_access_key = ${secretAccessKey}`;
    writeFileSync(join(folder, "credentials"), `[hooks]\n${keys}\n`);
    await signed("sources", "list", "--profile", "hooks");
    expect(only().signature?.accessKeyId).toBe("PROFILEKEY");
  });

  it("needs credentials: without any the ways to get some are told", async () => {
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]) vi.stubEnv(name, undefined);
    const { code, stderr } = await signed("sources", "list");
    expect(code).toBe(1);
    expect(stderr).toMatch(/no AWS credentials.*--profile/s);
  });
});

describe("whether a call is signed", () => {
  const request = { method: "GET", url: new URL("https://x.example/admin/stats"), headers: {}, body: undefined };
  const authorization = async (options: Parameters<typeof connect>[0], env = {}) => {
    const { address } = await connect(options, env);
    return (await address.sign?.(request))?.["authorization"];
  };

  it("a local relay's is not", async () => {
    expect(await authorization({})).toBeUndefined();
    expect(await authorization({ url: "http://localhost:8787" })).toBeUndefined();
  });

  it("an API's own name says for which region", async () => {
    const url = "https://a1b2c3.execute-api.eu-west-3.amazonaws.com/admin";
    expect(await authorization({ url })).toContain("/eu-west-3/execute-api/aws4_request");
    expect((await connect({ url }, {})).address.baseUrl).toBe("https://a1b2c3.execute-api.eu-west-3.amazonaws.com");
  });

  it("a custom domain's is for the region that is given, or that of the environment", async () => {
    const url = "https://hooks.example.com";
    expect(await authorization({ url, region: "us-east-2" })).toContain("/us-east-2/execute-api/");
    expect(await authorization({ url }, { AWS_REGION: "sa-east-1" })).toContain("/sa-east-1/execute-api/");
    expect(await authorization({ url, sign: false })).toBeUndefined();
  });
});
