import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { RelayClient } from "../../cli/relay-client.js";
import { testCertificate } from "../support/destination.js";
import { startRelay, type TestRelay } from "../support/relay.js";
import { type CliRun, type CliSurroundings, runCli } from "./run-cli.js";

const secrets = {
  GITHUB_SECRET: "octocat's secret",
  SHOP_SECRET: "shop's secret",
  ERP_SECRET: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
};
const fixedDelay = { schedule: { kind: "fixed", baseSeconds: 30 } };
const url = "http://127.0.0.1:9/hooks";

/** Three sources with five subscriptions. */
const relayFile = () => ({
  $schema: "./node_modules/steadyhook/cli/apply.schema.json",
  managedBy: "team-a",
  sources: [
    {
      sourceId: "github",
      verification: { scheme: "github", secrets: [{ env: "GITHUB_SECRET" }] },
      dedupe: { from: "header", name: "x-github-delivery" },
      subscriptions: [
        { name: "builds", url, policy: { ...fixedDelay, maxAttempts: 5 } },
        { name: "audit", url, types: ["push"] },
      ],
    },
    {
      sourceId: "shop",
      verification: { scheme: "hmac", hmac: { header: "x-signature" }, secrets: [{ env: "SHOP_SECRET" }] },
      subscriptions: [{ name: "erp", url, signingSecret: { env: "ERP_SECRET" } }],
    },
    {
      sourceId: "customer-7",
      verification: { scheme: "iam" },
      subscriptions: [
        { name: "a", url },
        { name: "b", url, timeouts: { readSeconds: 20 } },
      ],
    },
  ],
});

type RelayFile = ReturnType<typeof relayFile>;

let relay: TestRelay;
let folder: string;

beforeAll(async () => {
  relay = await startRelay();
  folder = mkdtempSync(join(tmpdir(), "steadyhook-apply-"));
});

afterAll(async () => {
  await relay.close();
  rmSync(folder, { recursive: true });
});

/** Every write of the admin API that the CLI sent, as "METHOD path". */
let writes: string[] = [];
/** What somebody else does just before each of these writes. */
let meanwhile: () => Promise<unknown> = async () => undefined;

beforeEach(() => {
  const { call } = RelayClient.prototype;
  vi.spyOn(RelayClient.prototype, "call").mockImplementation(async function (this: RelayClient, method, path, options) {
    if (method !== "GET") {
      writes.push(`${method} /admin${path}`);
      await meanwhile();
    }
    return call.call(this, method, path, options);
  });
});

afterEach(async () => {
  vi.restoreAllMocks();
  meanwhile = async () => undefined;
  await removeEverything();
  writes = [];
});

async function removeEverything(): Promise<void> {
  const { items } = await relay.admin<{ items: { sourceId: string }[] }>("GET", "/admin/sources");
  for (const { sourceId } of items) {
    const path = `/admin/sources/${sourceId}`;
    const page = await relay.admin<{ items: { subscriptionId: string }[] }>("GET", `${path}/subscriptions`);
    for (const each of page.items) await relay.admin("DELETE", `/admin/subscriptions/${each.subscriptionId}`);
    await relay.admin("DELETE", path);
  }
}

/** Applies the file and gives what it printed, together with the writes that it caused. */
async function apply(file: object | string, options: readonly string[] = [], surroundings: CliSurroundings = {}) {
  writes = [];
  const path = join(folder, "relay.json");
  writeFileSync(path, typeof file === "string" ? file : JSON.stringify(file, null, 2));
  const env = { STEADYHOOK_URL: relay.engine.gatewayUrl, ...secrets, ...surroundings.env };
  const run: CliRun = await runCli(["apply", path, ...options], { ...surroundings, env });
  return { ...run, writes, lines: run.stdout.trimEnd().split("\n") };
}

function edited(edit: (file: RelayFile) => void): RelayFile {
  const file = relayFile();
  edit(file);
  return file;
}

const subscriptionsOf = async (sourceId: string) =>
  (await relay.admin<{ items: Record<string, unknown>[] }>("GET", `/admin/sources/${sourceId}/subscriptions`)).items;

describe("apply", () => {
  it("makes an empty relay equal the file, and finds nothing to do the second time", async () => {
    const first = await apply(relayFile());
    expect(first).toMatchObject({ code: 0 });
    expect(first.lines).toEqual([
      "+ source github",
      "+ subscription github/builds",
      "+ subscription github/audit",
      "+ source shop",
      "+ subscription shop/erp",
      "+ source customer-7",
      "+ subscription customer-7/a",
      "+ subscription customer-7/b",
      "8 to create, 0 to change, 0 to delete, 0 unchanged",
      "done: 8 created, 0 changed, 0 deleted",
    ]);
    expect(first.writes).toHaveLength(8);
    expect(await subscriptionsOf("github")).toMatchObject([
      { name: "builds", managedBy: "team-a", policy: { maxAttempts: 5 } },
      { name: "audit", types: ["push"] },
    ]);
    const second = await apply(relayFile());
    expect(second).toMatchObject({ code: 0, stdout: "no changes (8 objects unchanged)\n", writes: [] });
  });

  it("makes exactly one change for one edit, and shows the field with its old and new value", async () => {
    await apply(relayFile());
    const file = edited(({ sources }) =>
      Object.assign(sources[0]?.subscriptions[0] ?? {}, { policy: { ...fixedDelay, maxAttempts: 8 } }),
    );
    const { code, lines, writes } = await apply(file);
    expect(code).toBe(0);
    expect(lines.slice(0, 2)).toEqual(["~ subscription github/builds", "    policy.maxAttempts: 5 → 8"]);
    expect(writes).toEqual(["PUT /admin/sources/github/subscriptions/builds"]);
    expect(await subscriptionsOf("github")).toMatchObject([{ name: "builds", policy: { maxAttempts: 8 } }, {}]);
    expect((await apply(file)).writes).toEqual([]);
  });

  it("takes back to its default what the file no longer says", async () => {
    await apply(relayFile());
    const file = edited(({ sources }) => Reflect.deleteProperty(sources[2]?.subscriptions[1] ?? {}, "timeouts"));
    expect((await apply(file)).lines).toContain("    timeouts.readSeconds: 20 → (none)");
    expect((await subscriptionsOf("customer-7"))[1]).toMatchObject({ timeouts: { readSeconds: 60 } });
  });

  it("changes nothing in a dry run, which needs no secret", async () => {
    const { code, lines, writes } = await apply(relayFile(), ["--dry-run"], { env: { GITHUB_SECRET: "" } });
    expect(code).toBe(0);
    expect(lines).toContain("+ source github");
    expect(writes).toEqual([]);
  });

  it("keeps what is no longer in the file, and says so, until it is told to prune", async () => {
    await apply(relayFile());
    await relay.admin("POST", "/admin/sources", { sourceId: "by-hand" });
    await relay.admin("POST", "/admin/sources/github/subscriptions", { name: "by-hand", url });
    const file = edited(({ sources }) => {
      sources[0]?.subscriptions.pop();
      sources.pop();
    });
    const kept = await apply(file);
    expect(kept).toMatchObject({ code: 0, writes: [] });
    expect(kept.stderr).toContain("kept: subscription github/audit is no longer in the file: --prune deletes it");
    const pruned = await apply(file, ["--prune"]);
    expect(pruned.lines.slice(0, 4)).toEqual([
      "- subscription github/audit",
      "- subscription customer-7/a",
      "- subscription customer-7/b",
      "- source customer-7",
    ]);
    expect(pruned.writes).toHaveLength(4);
    expect((await subscriptionsOf("github")).map(({ name }) => name)).toEqual(["builds", "by-hand"]);
    expect(await relay.admin("GET", "/admin/sources/by-hand")).toBeDefined();
    expect((await apply(file, ["--prune"])).writes).toEqual([]);
  });

  it("asks on a terminal before it deletes, and deletes nothing without a yes", async () => {
    await apply(relayFile());
    const file = edited(({ sources }) => void sources.pop());
    const refused = await apply(file, ["--prune"], { terminal: 100, answer: "" });
    expect(refused).toMatchObject({ code: 1, writes: [] });
    expect(refused.stderr).toContain("Delete 3 objects? [y/N]");
    expect((await apply(file, ["--prune"], { terminal: 100, answer: "y" })).writes).toHaveLength(3);
  });

  it("does not delete a source that has a subscription of somebody else", async () => {
    await apply(relayFile());
    await relay.admin("POST", "/admin/sources/customer-7/subscriptions", { name: "by-hand", url });
    const { code, stderr } = await apply(
      edited(({ sources }) => void sources.pop()),
      ["--prune"],
    );
    expect(code).toBe(0);
    expect(stderr).toContain("kept: source customer-7 has subscriptions that this file did not make (1)");
    expect(await subscriptionsOf("customer-7")).toMatchObject([{ name: "by-hand" }]);
  });

  it("leaves alone what another file keeps, unless it is told to take it over", async () => {
    await apply(relayFile());
    const other = { ...relayFile(), managedBy: "team-b" };
    const refused = await apply(other);
    expect(refused).toMatchObject({ code: 1, writes: [] });
    expect(refused.stderr).toContain('sources[0] source github is managed by "team-a"');
    const taken = await apply(other, ["--take-over"]);
    expect(taken.lines).toContain('    managedBy: "team-a" → "team-b"');
    expect(taken.writes).toHaveLength(8);
  });

  it("adopts what was made by hand", async () => {
    await relay.admin("POST", "/admin/sources", { sourceId: "github", description: "by hand" });
    const { lines } = await apply(relayFile());
    expect(lines).toContain("~ source github");
    expect(lines).toContain('    managedBy: (none) → "team-a"');
    expect(lines).toContain('    description: "by hand" → (none)');
  });

  it("gives the difference and what became of it as JSON", async () => {
    const { stdout } = await apply(relayFile(), ["--json"]);
    const { changes, unchanged } = JSON.parse(stdout);
    expect(unchanged).toBe(0);
    expect(changes[0]).toEqual({ action: "create", kind: "source", name: "github", fields: [], state: "done" });
  });
});

describe("secrets of a file", () => {
  it("are never printed, whatever is done with them", async () => {
    const runs = [
      await apply(relayFile()),
      await apply(relayFile(), ["--update-secrets"]),
      await apply(relayFile(), ["--update-secrets", "--json"]),
      await apply(edited(({ sources }) => Object.assign(sources[0] ?? {}, { dedupe: { from: "header", name: "" } }))),
    ];
    const printed = runs.map(({ stdout, stderr }) => stdout + stderr).join("\n");
    for (const secret of Object.values(secrets)) expect(printed).not.toContain(secret);
    expect(printed).not.toContain("whsec_");
  });

  it("are sent again when there are more or fewer, and when that is asked for", async () => {
    await apply(relayFile());
    const rotating = edited(({ sources }) => {
      const verification = sources[0]?.verification as { secrets: { env: string }[] };
      verification.secrets.unshift({ env: "NEW_SECRET" });
    });
    const env = { NEW_SECRET: "new" };
    const added = await apply(rotating, [], { env });
    expect(added.lines).toContain('    verification.secrets: "1 stored" → "2 stored"');
    expect(added.writes).toEqual(["PUT /admin/sources/github"]);
    expect((await apply(rotating, [], { env })).writes).toEqual([]);
    const forced = await apply(rotating, ["--update-secrets"], { env });
    expect(forced.writes).toEqual([
      "PUT /admin/sources/github",
      "PUT /admin/sources/shop",
      "PUT /admin/sources/shop/subscriptions/erp",
    ]);
  });

  it("of a request are sent when they are new, when their certificate is another, and when that is asked for", async () => {
    const pem = (name: Parameters<typeof testCertificate>[0]) => testCertificate(name);
    const withRequest = (certificate: Parameters<typeof testCertificate>[0], header = "X-Api-Key") =>
      edited(({ sources }) => {
        Object.assign(sources[1]?.subscriptions[0] ?? {}, {
          url: "https://127.0.0.1:9/hooks",
          headers: { "x-team": "billing", [header]: { env: "API_KEY" } },
          tls: { certificate: String(pem(certificate).cert), key: { env: "CLIENT_KEY" } },
        });
      });
    const env = { API_KEY: "k-3f9a1c7e5b", CLIENT_KEY: String(pem("good").key) };
    const created = await apply(withRequest("good"), [], { env });
    expect(created.code).toBe(0);
    const [stored] = await subscriptionsOf("shop");
    expect(stored).toMatchObject({ headers: { "x-team": "billing", "x-api-key": { secret: true } } });
    expect((await apply(withRequest("good"), [], { env: { API_KEY: "", CLIENT_KEY: "" } })).lines).toEqual([
      "no changes (8 objects unchanged)",
    ]);
    const other = await apply(withRequest("wrong-name", "x-other"), [], {
      env: { ...env, CLIENT_KEY: String(pem("wrong-name").key) },
    });
    expect(other.lines).toContain("    headers.x-other.secret: (none) → true");
    expect(other.lines).toContain('    tls.key: "1 stored" → "sent again"');
    expect(other.writes).toEqual(["PUT /admin/sources/shop/subscriptions/erp"]);
    const again = { ...env, CLIENT_KEY: String(pem("wrong-name").key) };
    const forced = await apply(withRequest("wrong-name", "x-other"), ["--update-secrets"], { env: again });
    expect(forced.lines).toContain('    headers.x-other: "1 stored" → "sent again"');
    const printed = [created, other, forced].map(({ stdout, stderr }) => stdout + stderr).join();
    expect(printed).not.toContain(env.API_KEY);
    expect(printed).not.toContain("PRIVATE");
  });

  it("that are not in the environment are all named before anything is done", async () => {
    const { code, stderr, writes } = await apply(relayFile(), [], { env: { GITHUB_SECRET: "", ERP_SECRET: "" } });
    expect(code).toBe(1);
    expect(writes).toEqual([]);
    expect(stderr).toContain("sources[0].verification.secrets[0] the environment variable GITHUB_SECRET is not set");
    expect(stderr).toContain(
      "sources[1].subscriptions[0].signingSecret the environment variable ERP_SECRET is not set",
    );
  });

  it("stand in no file: a literal one is refused with the way to do it, and not repeated", async () => {
    const file = edited(({ sources }) => {
      Object.assign(sources[0]?.verification ?? {}, { secrets: ["literal-secret"] });
      Object.assign(sources[1]?.subscriptions[0] ?? {}, { signingSecret: "whsec_literal" });
    });
    const { code, stderr, writes } = await apply(file);
    expect({ code, writes }).toEqual({ code: 1, writes: [] });
    expect(stderr).toContain('sources[0].verification.secrets[0] must be {"env":"NAME"}');
    expect(stderr).toContain('sources[1].subscriptions[0].signingSecret must be {"env":"NAME"}');
    expect(stderr).not.toContain("literal");
  });
});

describe("a file that cannot be applied", () => {
  it.each([
    [
      "sources[0].subscriptions[1].polcy",
      (file: RelayFile) => Object.assign(file.sources[0]?.subscriptions[1] ?? {}, { polcy: {} }),
    ],
    ["sources[1].sourceId", (file: RelayFile) => Object.assign(file.sources[1] ?? {}, { sourceId: "github" })],
    [
      "sources[2].subscriptions[1].name",
      (file: RelayFile) => Object.assign(file.sources[2]?.subscriptions[1] ?? {}, { name: "a" }),
    ],
    [
      "sources[1].subscriptions[0].url",
      (file: RelayFile) => Reflect.deleteProperty(file.sources[1]?.subscriptions[0] ?? {}, "url"),
    ],
    ["manageBy", (file: RelayFile) => Object.assign(file, { manageBy: "x" })],
  ])("is refused as a whole, naming %s", async (path, edit) => {
    const { code, stderr, writes } = await apply(edited(edit));
    expect({ code, writes }).toEqual({ code: 1, writes: [] });
    expect(stderr).toContain(`  ${path} `);
  });

  it("that is no JSON says where, and quotes nothing", async () => {
    const { code, stderr } = await apply('{\n  "sources": [secret]\n}');
    expect(code).toBe(1);
    expect(stderr).toMatch(/relay\.json is not JSON( \(line 2, column 15\))?\./);
    expect(stderr).not.toContain("secret");
  });

  it("in a part tells what was done and what was not, by its path in the file", async () => {
    const file = edited(({ sources }) => Object.assign(sources[1]?.subscriptions[0] ?? {}, { policy: { jitter: 3 } }));
    const { code, stderr, writes } = await apply(file);
    expect(code).toBe(1);
    expect(writes).toHaveLength(5);
    expect(stderr).toContain("done: created source shop");
    expect(stderr).toContain("failed: create subscription shop/erp");
    expect(stderr).toContain("not done: create subscription customer-7/b");
    expect(stderr).toContain("sources[1].subscriptions[0].policy.jitter");
  });

  it("over somebody else's change made meanwhile leaves that change alone", async () => {
    await apply(relayFile());
    meanwhile = () => {
      meanwhile = async () => undefined;
      return relay.admin("PATCH", "/admin/sources/github", { description: "meanwhile" });
    };
    const file = edited(({ sources }) => Object.assign(sources[0] ?? {}, { description: "mine" }));
    const { code, stderr } = await apply(file);
    expect(code).toBe(1);
    expect(stderr).toContain("run apply again");
    expect(await relay.admin("GET", "/admin/sources/github")).toMatchObject({ description: "meanwhile" });
  });
});
