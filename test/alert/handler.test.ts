import type { SNSEvent } from "aws-lambda";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { env } from "../../functions/shared/env.js";
import { alarmEvent, topicEvent } from "../support/alarm-event.js";
import { type AwsStub, startAwsStub } from "../support/aws-stub.js";
import { type Destination, startDestination } from "../support/destination.js";
import { startTable, type TestTable } from "../support/dynalite.js";

/** The function as deployed: its own clients, a real table, Secrets Manager as a stub, a server that is posted to. */
let table: TestTable;
let aws: AwsStub;
let channel: Destination;
let secret: string;
let written: string;
let handler: (event: SNSEvent) => Promise<void>;

const signingSecret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

beforeEach(async () => {
  table = await startTable();
  channel = await startDestination(200);
  secret = `${channel.url}/services/T0/B0/very-secret-path`;
  aws = await startAwsStub(() => ({ body: { ARN: "arn", Name: "slack", SecretString: secret } }));
  written = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    written += String(text);
    return true;
  });
  vi.unstubAllEnvs();
  for (const [name, value] of Object.entries({
    AWS_ENDPOINT_URL_DYNAMODB: await endpointOf(table),
    AWS_ENDPOINT_URL_SECRETS_MANAGER: aws.endpoint,
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    [env.tableName]: table.tableName,
    [env.alertSecretArn]: "arn:aws:secretsmanager:eu-west-1:111122223333:secret:slack",
    [env.allowLoopback]: "true",
  })) {
    vi.stubEnv(name, value);
  }
  // A fresh environment for each test.
  vi.resetModules();
  ({ handler } = await import("../../functions/alert/handler.js"));
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await Promise.all([table.close(), aws.close(), channel.close()]);
});

async function endpointOf({ client }: TestTable): Promise<string> {
  const { protocol, hostname, port } = (await client.config.endpoint?.()) ?? { protocol: "", hostname: "", port: 0 };
  return `${protocol}//${hostname}:${port}`;
}

const posted = () => channel.requests.map(({ body }) => JSON.parse(body.toString()));

describe("the alert function", () => {
  it("posts an alarm to the URL that the secret holds, and never shows it", async () => {
    await handler(alarmEvent());
    expect(channel.requests).toHaveLength(1);
    expect(channel.requests[0]).toMatchObject({ method: "POST", target: "/services/T0/B0/very-secret-path" });
    expect(posted()[0].text).toContain("*ALARM* Hooks-DeadLetterSpike");
    expect(aws.calls[0]).toMatchObject({
      operation: "GetSecretValue",
      json: { SecretId: expect.stringContaining(":slack") },
    });
    expect(written).toContain("alert posted");
    expect(written).not.toContain("very-secret-path");
  });

  it("posts the same alarm in the same state once, its end too, and another alarm", async () => {
    await handler(alarmEvent({}, "m1"));
    await handler(alarmEvent({}, "m2"));
    await handler(alarmEvent({ NewStateValue: "OK", OldStateValue: "ALARM" }, "m3"));
    await handler(alarmEvent({ AlarmName: "Another" }, "m4"));
    expect(posted().map(({ text }) => text.split("\n")[0])).toEqual([
      ":red_circle: *ALARM* Hooks-DeadLetterSpike",
      ":large_green_circle: *OK* Hooks-DeadLetterSpike",
      ":red_circle: *ALARM* Another",
    ]);
    expect(written).toContain("alert not repeated");
  });

  it("fails when it was not taken, so that Lambda tries again, and then posts it", async () => {
    channel.answer([500, 200]);
    await expect(handler(alarmEvent())).rejects.toThrow("alert not posted: 500");
    await handler(alarmEvent());
    expect(channel.requests).toHaveLength(2);
    expect(written).not.toContain("very-secret-path");
  });

  it("reads the secret once for several alarms", async () => {
    await handler(alarmEvent({ AlarmName: "A" }, "m1"));
    await handler(alarmEvent({ AlarmName: "B" }, "m2"));
    expect(aws.calls).toHaveLength(1);
  });

  it.each(["not a url", "", "file:///etc/passwd", "http://hooks.slack.com/services/T0/B0/x"])(
    "says what is wrong with a secret that is no https URL: %j",
    async (value) => {
      secret = value;
      await expect(handler(alarmEvent())).rejects.toThrow(/The secret is no https URL/);
      expect(channel.requests).toHaveLength(0);
    },
  );

  it("posts what else comes by the topic as the text that it is", async () => {
    await handler(topicEvent("The night shift begins.", "Hello", "m1"));
    expect(posted()[0].text).toBe(":information_source: *NOTICE* Hello\nThe night shift begins.");
  });

  it("signs what it posts to a webhook, the same id for each try", async () => {
    vi.stubEnv(env.alertWebhookUrl, `${channel.url}/alarms`);
    secret = signingSecret;
    channel.answer([503, 204]);
    await expect(handler(alarmEvent())).rejects.toThrow("alert not posted: 503");
    await handler(alarmEvent());
    const webhook = new Webhook(signingSecret);
    for (const { body, headers } of channel.requests) {
      expect(webhook.verify(body.toString(), headers)).toMatchObject({
        type: "steadyhook.alarm",
        data: { state: "ALARM" },
      });
    }
    expect(new Set(channel.requests.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  });

  it("sends nothing unsigned: a signing secret that is not sound is refused", async () => {
    vi.stubEnv(env.alertWebhookUrl, `${channel.url}/alarms`);
    secret = "whsec_c2hvcnQ=";
    await expect(handler(alarmEvent())).rejects.toThrow(/The secret must hold a key of 24 to 64 bytes/);
    expect(channel.requests).toHaveLength(0);
  });
});
