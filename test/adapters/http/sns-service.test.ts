import { describe, expect, it } from "vitest";
import { HttpSnsService } from "../../../functions/adapters/http/sns-service.js";
import type { OutboundRequest, SendResult } from "../../../functions/app/ports.js";

const url = "https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-a1.pem";

/** SNS as its answers: a status and a body, or the error that kept it from answering. */
function serviceOver(...answers: readonly Partial<SendResult>[]) {
  const asked: OutboundRequest[] = [];
  const sender = {
    async send(request: OutboundRequest): Promise<SendResult> {
      const answer = answers[asked.length] ?? {};
      asked.push(request);
      return {
        statusCode: null,
        error: null,
        responseHeaders: [],
        startedAtMs: 0,
        durationMs: 1,
        timings: {},
        preview: Buffer.alloc(0),
        previewCut: false,
        ...answer,
      };
    },
  };
  return { asked, service: new HttpSnsService(sender, () => 1_000) };
}

describe("asking SNS", () => {
  it("is one bounded GET, and a certificate is asked for once", async () => {
    const { asked, service } = serviceOver({ statusCode: 200, preview: Buffer.from("PEM") });
    expect([await service.certificate(url), await service.certificate(url)]).toEqual(["PEM", "PEM"]);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ url, method: "GET", body: Buffer.alloc(0), deadlineMs: 9_000 });
  });

  it.each([301, 302, 403, 404])("finds no certificate where SNS answers %i, and asks again", async (statusCode) => {
    const { service } = serviceOver({ statusCode }, { statusCode: 200, preview: Buffer.from("PEM") });
    expect([await service.certificate(url), await service.certificate(url)]).toEqual([null, "PEM"]);
  });

  it("finds no certificate at a region that does not exist, and confirms nothing there", async () => {
    const none = { error: "dns" as const, errorDetail: "The host name could not be resolved (ENOTFOUND)." };
    const { service } = serviceOver(none, none);
    expect(await service.certificate(url)).toBeNull();
    await expect(service.confirm(url)).rejects.toThrow("no such host");
  });

  it.each([
    { statusCode: 429 },
    { statusCode: 503 },
    { error: "connect_timeout" as const },
    { error: "dns" as const, errorDetail: "The host name could not be resolved (EAI_AGAIN)." },
  ])("is rejected when there is no answer to go by: %j", async (answer) => {
    const { service } = serviceOver(answer, answer);
    await expect(service.certificate(url)).rejects.toThrow("SNS could not be asked");
    await expect(service.confirm(url)).rejects.toThrow("SNS could not be asked");
  });

  it("confirms when SNS says so, and only then", async () => {
    const { service } = serviceOver({ statusCode: 200 }, { statusCode: 400 }, { statusCode: 302 });
    await service.confirm(url);
    await expect(service.confirm(url)).rejects.toThrow("answered 400");
    await expect(service.confirm(url)).rejects.toThrow("answered 302");
  });
});
