import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AdminRelay, startAdminRelay } from "../support/admin-relay.js";
import { withoutTrail } from "../support/table-dump.js";

const dayMs = 86_400_000;
const userArn = "arn:aws:iam::111122223333:user/alex";

let relay: AdminRelay;
beforeEach(async () => {
  relay = await startAdminRelay();
});
afterEach(() => relay.close());

const trail = async (query = "") => (await relay.call("GET", "/admin/audit", undefined, { query })).body.items;

describe("the audit trail", () => {
  test("tells who wrote what, which fields it gave, what for, and what came of it", async () => {
    const verification = { scheme: "github", secrets: ["a secret of theirs"] };
    const headers = { "steadyhook-reason": "ticket 4711" };
    await relay.call("POST", "/admin/sources", { sourceId: "shop", verification }, { userArn, headers });
    const items = await trail();
    expect(items).toEqual([
      {
        auditId: expect.stringMatching(/^aud_/),
        at: "2026-01-31T12:00:00.000Z",
        by: userArn,
        operation: "source.create",
        method: "POST",
        path: "/admin/sources",
        subjects: ["shop"],
        fields: ["sourceId", "verification"],
        reason: "ticket 4711",
        outcome: { status: 201, code: null },
      },
    ]);
    expect(JSON.stringify(items)).not.toContain("a secret of theirs");
  });

  test("has what was refused too, without names that are none of ours, and no reads", async () => {
    await relay.call("PATCH", "/admin/sources/none", { description: "x", "whsec_a secret": 1 });
    await relay.call("DELETE", "/admin/sources/none");
    await relay.call("POST", "/admin/sources", undefined, {
      raw: "{",
      headers: { "content-type": "application/json" },
    });
    await relay.call("GET", "/admin/sources");
    await relay.call("POST", "/admin/policy/preview", {});
    expect(
      (await trail()).map(({ by, operation, fields, outcome }: Record<string, unknown>) => [
        by,
        operation,
        fields,
        outcome,
      ]),
    ).toEqual(
      expect.arrayContaining([
        ["local", "source.change", ["description"], { status: 404, code: "unknown_source" }],
        ["local", "source.delete", [], { status: 404, code: "unknown_source" }],
        ["local", "source.create", [], { status: 400, code: "malformed_json" }],
      ]),
    );
    expect(await trail()).toHaveLength(3);
  });

  test("comes newest first, page by page, over months, within bounds, and about one subject", async () => {
    const days = [0, 1, 40, 100];
    for (const [index, days_] of days.entries()) {
      relay.clock.nowMs = Date.UTC(2026, 0, 31, 12) + days_ * dayMs;
      await relay.call("POST", "/admin/sources", { sourceId: `s${index}` });
    }
    const subjects = async (query: string) =>
      (await trail(query)).flatMap((each: { subjects: string[] }) => each.subjects);
    expect(await subjects("")).toEqual(["s3", "s2", "s1", "s0"]);
    expect(await subjects("subject=s1")).toEqual(["s1"]);
    expect(await subjects("since=2026-02-01T12:00:00Z&until=2026-05-01T00:00:00Z")).toEqual(["s2", "s1"]);
    const first = await relay.call("GET", "/admin/audit", undefined, { query: "limit=3" });
    const rest = await relay.call("GET", "/admin/audit", undefined, { query: `limit=3&cursor=${first.body.cursor}` });
    expect([...first.body.items, ...rest.body.items].flatMap((each) => each.subjects)).toEqual([
      "s3",
      "s2",
      "s1",
      "s0",
    ]);
    expect(rest.body.cursor).toBeNull();
    relay.clock.nowMs = Date.UTC(2026, 0, 31, 12) + 401.5 * dayMs;
    expect(await subjects("")).toEqual(["s3", "s2"]);
  });

  test("without which no write is done: when it cannot be written, the write is refused", async () => {
    const begin = relay.context.audit.begin;
    relay.context.audit.begin = async () => {
      throw new Error("no table");
    };
    const refused = await relay.call("POST", "/admin/sources", { sourceId: "shop" });
    expect(refused).toMatchObject({ status: 500, body: { code: "internal_error" } });
    expect(await withoutTrail(relay.table)).toBe("[]");
    relay.context.audit.begin = begin;
  });

  test("shows a write of which only the beginning is known; the answer is given all the same", async () => {
    relay.context.audit.end = async () => {
      throw new Error("no table");
    };
    expect((await relay.call("POST", "/admin/sources", { sourceId: "shop" })).status).toBe(201);
    expect(await trail()).toMatchObject([{ operation: "source.create", outcome: null }]);
    expect(relay.lines.find(({ level }) => level === "warn")?.message).toMatch(/audit/);
  });

  test("says of a failure of the relay itself that it was one", async () => {
    relay.context.sources.createSource = async () => {
      throw new Error("no table");
    };
    await relay.call("POST", "/admin/sources", { sourceId: "shop" });
    expect(await trail()).toMatchObject([{ outcome: { status: 500, code: "internal_error" } }]);
  });
});
