import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AdminRelay, startAdminRelay } from "../support/admin-relay.js";
import { withoutTrail } from "../support/table-dump.js";

describe("a source's handshake", () => {
  let relay: AdminRelay;

  beforeEach(async () => {
    relay = await startAdminRelay();
  });

  afterEach(() => relay.close());

  const dump = () => withoutTrail(relay.table);

  const github = { scheme: "github", secrets: ["a shared secret"] };
  const topicArn = "arn:aws:sns:eu-central-1:111122223333:orders";
  const meta = { kind: "meta", verifyToken: "meaty ham hock" };
  const problems = (body: { readonly errors: readonly { readonly field: string }[] }) =>
    body.errors.map(({ field }) => field);

  test("is null and the answer is the event's id, unless the source says otherwise", async () => {
    const { body } = await relay.call("POST", "/admin/sources", { sourceId: "plain" });
    expect(body).toMatchObject({ handshake: null, answer: "event-id" });
    const slack = await relay.call("POST", "/admin/sources", { handshake: { kind: "slack" }, answer: "empty" });
    expect(slack.body).toMatchObject({ handshake: { kind: "slack" }, answer: "empty" });
    const patched = await relay.call("PATCH", `/admin/sources/${slack.body.sourceId}`, {
      handshake: null,
      answer: null,
    });
    expect(patched.body).toMatchObject({ handshake: null, answer: "event-id" });
  });

  test("of Meta has a token that is sealed, shown by its id only, and is no secret of the verification", async () => {
    const document = { sourceId: "pages", verification: github, handshake: meta };
    const { body } = await relay.call("POST", "/admin/sources", document);
    expect(body.handshake).toEqual({
      kind: "meta",
      verifyToken: { id: expect.stringMatching(/^sec_/), createdAt: "2026-01-31T12:00:00.000Z" },
    });
    expect(JSON.stringify(body) + (await dump()) + JSON.stringify(relay.lines)).not.toContain("meaty");
    const open = await relay.context.sources.openSource("pages");
    expect(open?.verifyToken).toBe("meaty ham hock");
    expect(open?.secretValues.map(({ value }) => value)).toEqual(["a shared secret"]);
  });

  test("of Meta needs a token that is not blank", async () => {
    for (const verifyToken of ["", "  ", "\n"]) {
      const { status, body } = await relay.call("POST", "/admin/sources", { handshake: { kind: "meta", verifyToken } });
      expect([status, problems(body)]).toEqual([400, ["handshake.verifyToken"]]);
    }
  });

  test("keeps its token when a change leaves it out, and its id when it is said again", async () => {
    const created = await relay.call("PUT", "/admin/sources/pages", { verification: github, handshake: meta });
    const { id } = created.body.handshake.verifyToken;
    const rotated = await relay.call("PATCH", "/admin/sources/pages", {
      verification: { secrets: ["another secret"] },
    });
    expect(rotated.body.handshake.verifyToken.id).toBe(id);
    const put = await relay.call("PUT", "/admin/sources/pages", { verification: github, handshake: { kind: "meta" } });
    expect(put.body.handshake.verifyToken.id).toBe(id);
    const again = await relay.call("PUT", "/admin/sources/pages", { verification: github, handshake: meta });
    expect(again.body).toMatchObject({ version: put.body.version, handshake: put.body.handshake });
    const open = await relay.context.sources.openSource("pages");
    expect([open?.verifyToken, open?.secretValues[0]?.value]).toEqual(["meaty ham hock", "a shared secret"]);
  });

  test("gets another token without a change of the secrets, and without a verification", async () => {
    await relay.call("PUT", "/admin/sources/pages", { verification: github, handshake: meta });
    await relay.call("PATCH", "/admin/sources/pages", { handshake: { verifyToken: "new" } });
    const open = await relay.context.sources.openSource("pages");
    expect([open?.verifyToken, open?.secretValues[0]?.value]).toEqual(["new", "a shared secret"]);
    await relay.call("PATCH", "/admin/sources/pages", { verification: null });
    expect(await relay.context.sources.openSource("pages")).toMatchObject({ verifyToken: "new", secretValues: [] });
    await relay.call("PATCH", "/admin/sources/pages", { handshake: { kind: "dropbox" } });
    expect(await relay.context.sources.openSource("pages")).toMatchObject({ verifyToken: null });
    expect(await dump()).not.toContain("sealed");
  });

  test.each([
    ["a token at another kind", { handshake: { kind: "slack", verifyToken: "x" } }, "handshake.verifyToken"],
    ["SNS without its scheme", { verification: github, handshake: { kind: "sns" } }, "handshake.kind"],
    ["a topic at another scheme", { verification: { ...github, topicArn } }, "verification.topicArn"],
    ["Meta without a token", { handshake: { kind: "meta" } }, "handshake.verifyToken"],
    ["an empty token", { handshake: { kind: "meta", verifyToken: "" } }, "handshake.verifyToken"],
    ["an unknown kind", { handshake: { kind: "carrier-pigeon" } }, "handshake.kind"],
    ["Zoom without a secret to answer with", { handshake: { kind: "zoom" } }, "handshake.kind"],
    ["Twitch without a verification", { handshake: { kind: "twitch" } }, "handshake.kind"],
    [
      "a source that no provider reaches",
      { verification: { scheme: "iam" }, handshake: { kind: "slack" } },
      "handshake",
    ],
    ["what is no ARN of a topic", { verification: { scheme: "sns", topicArn: "orders" } }, "verification.topicArn"],
    ["a secret that SNS has no use for", { verification: { scheme: "sns", secrets: ["x"] } }, "verification.secrets"],
    ["an unknown answer", { answer: "html" }, "answer"],
  ])("is refused with %s", async (_, document, field) => {
    const { status, body } = await relay.call("POST", "/admin/sources", document);
    expect([status, problems(body)]).toEqual([400, [field]]);
    expect(JSON.stringify(body)).not.toContain("meaty");
  });
});
