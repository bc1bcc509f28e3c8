import { describe, expect, it } from "vitest";
import { noticeKey, readNotice } from "../../../functions/core/alerts/alarm-notice.js";
import { slackBody, webhookBody } from "../../../functions/core/alerts/alert-body.js";
import { alarmEvent } from "../../support/alarm-event.js";

const read = (overrides: Readonly<Record<string, unknown>> = {}) => {
  const { Message, Subject } = alarmEvent(overrides).Records[0]?.Sns ?? { Message: "", Subject: "" };
  return readNotice(Message, Subject ?? null);
};

describe("an alarm's message", () => {
  it("is read with its state, its reason, and where to look", () => {
    expect(read()).toEqual({
      name: "Hooks-DeadLetterSpike",
      state: "ALARM",
      previousState: "OK",
      reason: expect.stringContaining("Threshold Crossed"),
      description: expect.stringContaining("docs/runbook.md#dead-letter-spike"),
      region: "eu-west-1",
      accountId: "111122223333",
      changedAt: "2026-01-31T12:00:00.123Z",
      consoleUrl:
        "https://eu-west-1.console.aws.amazon.com/cloudwatch/home?region=eu-west-1#alarmsV2:alarm/Hooks-DeadLetterSpike",
    });
  });

  it.each([
    ["nothing but a name", { AlarmDescription: null, NewStateReason: 7, StateChangeTime: "soon", AlarmArn: null }],
    ["a state that nobody knows", { NewStateValue: "MAYBE" }],
  ])("is read with %s, too", (_what, overrides) => {
    expect(() => webhookBody(read(overrides), 0)).not.toThrow();
    expect(() => slackBody(read(overrides))).not.toThrow();
  });

  it("has a key for each alarm and state", () => {
    const keys = [read(), read({ NewStateValue: "OK" }), read({ AlarmName: "Other" })].map(noticeKey);
    expect(new Set(keys).size).toBe(3);
    expect(noticeKey(read({ NewStateReason: "another" }))).toBe(keys[0]);
  });

  it.each(["hello", "[1]", "null", '{"foo":1}', ""])("that is none is shown as the text that it is: %s", (text) => {
    expect(readNotice(text, "A subject")).toMatchObject({ name: "A subject", state: "NOTICE", reason: text });
    expect(readNotice(text, null).name).toBe("Message");
  });
});

describe("what is posted", () => {
  it("to Slack is one text, in which an alarm's words open no mention and no link", () => {
    const body = JSON.parse(slackBody(read({ AlarmName: "<!channel> & co" })));
    expect(body.text.split("\n")).toEqual([
      ":red_circle: *ALARM* &lt;!channel&gt; &amp; co",
      "Many deliveries got their last failure. What to do: docs/runbook.md#dead-letter-spike",
      "Threshold Crossed: 1 datapoint [12.0 (31/01/26 11:55:00)] was &gt;= the threshold (10.0).",
      expect.stringMatching(/^<https:\/\/eu-west-1\.console\.aws\.amazon\.com\/\S+\|Open in CloudWatch>$/),
    ]);
  });

  it("to a webhook is type, time and data", () => {
    expect(JSON.parse(webhookBody(read(), 0))).toMatchObject({
      type: "steadyhook.alarm",
      timestamp: "2026-01-31T12:00:00.123Z",
      data: { alarm: "Hooks-DeadLetterSpike", state: "ALARM", previousState: "OK" },
    });
    expect(JSON.parse(webhookBody(readNotice("text", null), 0)).timestamp).toBe("1970-01-01T00:00:00.000Z");
  });
});
