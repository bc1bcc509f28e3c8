import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { planSubscription } from "../../cli/apply/plan-subscription.js";
import { readApplyFile } from "../../cli/apply/read-apply-file.js";
import { showSubscription } from "../../cli/commands/show-subscription.js";
import { filterText } from "../../cli/filter-text.js";
import { Session } from "../../cli/session.js";
import { subscriptionDocument } from "../../cli/subscription-options.js";
import { subscription } from "../../functions/admin/openapi/examples.js";
import { runCli } from "./run-cli.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "steadyhook-filter-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return `@${join(folder, name)}`;
}

const filter = {
  all: [
    { header: "x-topic", equals: "orders/paid" },
    { not: { json: "/livemode", equals: false } },
    {
      any: [
        { json: "/type", prefix: "invoice." },
        { json: "/id", oneOf: [1, { number: "7615917337495251231" }] },
      ],
    },
    { json: "/data", exists: true },
  ],
};
const body = '{"livemode":true,"type":"order","id":7615917337495251231,"data":{"naïve":1}}';

describe("steadyhook filter test", () => {
  const test = (...args: string[]) => runCli(["filter", "test", ...args]);

  it("says per condition whether it matched, and what was found, without a relay", async () => {
    const given = ["--filter", file("f.json", JSON.stringify(filter)), "--body", file("b.json", body)];
    const { code, stdout, stderr } = await test(...given, "--header", "X-Topic: orders/paid");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n").map((line) => line.replaceAll(/ {2,}/g, " | "))).toEqual([
      "matches",
      "",
      "MATCHED | AT | CONDITION | FOUND",
      'yes | all[0] | header x-topic = "orders/paid" | orders/paid',
      "no | all[1].not | json /livemode = false | true",
      'no | all[2].any[0] | json /type = "invoice."… | "order"',
      "yes | all[2].any[1] | json /id in [1,7615917337495251231] | 7615917337495251231",
      "yes | all[3] | json /data exists | an object",
      "",
    ]);
  });

  it("says the same as JSON", async () => {
    const given = ["--filter", '{"json":"/a","equals":null}', "--body", '{"a":"ü"}', "--json"];
    const { code, stdout } = await test(...given);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      matched: false,
      conditions: [{ at: "", condition: "json /a = null", matched: false, found: '"ü"' }],
    });
  });

  it("says that a body is not JSON", async () => {
    const { code, stdout, stderr } = await test("--filter", '{"json":"/a","exists":false}', "--body", "a=1");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^matches\n/);
    expect(stdout).toMatch(/^yes +json \/a does not exist +\(nothing\)$/m);
    expect(stderr).toBe("The body is not JSON: it has no values.\n");
  });

  it("takes the body from stdin, and a header with colons in it", async () => {
    const given = ["filter", "test", "--filter", '{"all":[{"json":"","equals":1},{"header":"h","equals":"a:b"}]}'];
    const { stdout } = await runCli([...given, "--body", "-", "--header", "h:a:b"], { stdin: " 1.0 " });
    expect(stdout).toMatch(/^matches\n/);
  });

  it("refuses a filter that no subscription may have, by the field", async () => {
    const { code, stderr } = await test("--filter", '{"all":[{"json":"/a","exists":true},{"json":"b","exists":true}]}');
    expect(code).toBe(1);
    expect(stderr).toContain("filter.all[1].json must be a JSON pointer");
  });

  it.each([
    [["--filter", "-", "--body", "-"], "--filter and --body cannot both be stdin"],
    [["--filter", "{}", "--header", "nothing"], "NAME:VALUE"],
    [["--filter", "nonsense"], "is not JSON"],
    [["--body", "{}"], "--filter"],
  ])("does not understand %j", async (args, message) => {
    const { code, stderr } = await test(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("a filter on one line", () => {
  it("reads as it works", () => {
    expect(filterText(filter)).toBe(
      'all(header x-topic = "orders/paid", not(json /livemode = false), ' +
        'any(json /type = "invoice."…, json /id in [1,7615917337495251231]), json /data exists)',
    );
    expect(filterText({ not: { json: "", exists: false } })).toBe('not(json "" does not exist)');
  });
});

describe("a filter of a subscription", () => {
  const io = {} as Parameters<typeof subscriptionDocument>[1];

  it("is an option with JSON or a file with it; none takes it away", async () => {
    const given = file("s.json", JSON.stringify(filter));
    expect(await subscriptionDocument({ filter: given }, io)).toEqual({ filter });
    expect(await subscriptionDocument({ filter: JSON.stringify(filter) }, io)).toEqual({ filter });
    expect(await subscriptionDocument({ filter: null }, io)).toEqual({ filter: null });
    expect(await subscriptionDocument({}, io)).toEqual({});
  });

  it("is checked in a file for apply, before anything is done", () => {
    const applied = (given: unknown) => {
      const subscriptions = [{ name: "a", url: "https://a.example/", filter: given }];
      return readApplyFile(Buffer.from(JSON.stringify({ sources: [{ sourceId: "s", subscriptions }] })), "f.json");
    };
    expect(applied(filter).sources[0]?.subscriptions[0]?.filter).toEqual(filter);
    expect(() => applied({ json: "/a", equals: [] })).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({
          fields: [expect.objectContaining({ field: "sources[0].subscriptions[0].filter.equals" })],
        }),
      }),
    );
  });

  it("is shown with the subscription", () => {
    const shown: string[] = [];
    const stdout = { write: (text: string) => void shown.push(text), isTTY: false, columns: undefined };
    const session = new Session({ env: {}, stdout, now: () => 0 } as unknown as typeof io, {});
    showSubscription(session, subscription);
    expect(shown.join("")).toMatch(
      /^filter +all\(header x-shop in \["de","at"\], not\(json \/livemode = false\), any\(/m,
    );
  });

  it("is changed by apply when it differs, and not when its fields only stand in another order", () => {
    const planned = (given: object) => {
      const { url, name, types } = subscription;
      const wanted = { url, name, types, filter: given, policy: subscription.given.policy };
      const file = { managedBy: "apply", sources: [{ sourceId: "shop", subscriptions: [wanted] }] };
      const read = readApplyFile(Buffer.from(JSON.stringify(file)), "f.json").sources[0]?.subscriptions[0];
      if (read === undefined) throw new Error("there is no subscription");
      const found = { ...subscription, managedBy: "apply", headers: null };
      const secrets = { read: () => "", missing: [] } as unknown as Parameters<typeof planSubscription>[4]["secrets"];
      const options = { owner: "apply", secrets, updateSecrets: false, takeOver: false, prune: false };
      return JSON.stringify(planSubscription("shop", read, found, "sources[0].subscriptions[0]", options));
    };
    const [first, ...rest] = (subscription.filter as unknown as { all: object[] }).all;
    const turned = Object.fromEntries(Object.entries(first ?? {}).toReversed());
    expect(planned({ all: [turned, ...rest] })).not.toContain('"field"');
    expect(planned({ all: rest })).toContain('"field":"filter.all"');
  });
});
