import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Destination, startDestination } from "../support/destination.js";
import { eventually, gateChangeKnown, isFinal, startRelay, type TestRelay } from "../support/relay.js";
import { type CliSurroundings, runCli } from "./run-cli.js";

let relay: TestRelay;
let destination: Destination;
const answer = { status: 422 };
beforeAll(async () => {
  relay = await startRelay();
  destination = await startDestination(() => answer.status);
});
afterEach(() => {
  answer.status = 422;
});
afterAll(async () => {
  await destination.close();
  await relay.close();
});

const cli = (args: string, surroundings: CliSurroundings = {}) =>
  runCli(args.split(" "), { ...surroundings, env: { STEADYHOOK_URL: relay.engine.gatewayUrl } });
/** Real waits between two looks, short ones. */
const pause = () => new Promise<boolean>((resolve) => setTimeout(resolve, 50, false));

let sources = 0;

/** A source with dead letters; gives ids. */
async function withDeadLetters(count: number) {
  sources += 1;
  const sourceId = `s${sources}`;
  const [subscription] = await relay.source({ sourceId }, { url: destination.url });
  const dead: string[] = [];
  for (let n = 0; n < count; n++) {
    const accepted = (await (await relay.post(`/in/${sourceId}`, `{"n":${n}}`)).json()) as { eventId: string };
    const [delivery] = await relay.deliveries(accepted.eventId, isFinal);
    dead.push(delivery?.deliveryId ?? "");
  }
  return { sourceId, dead, subscriptionId: subscription?.subscriptionId ?? "" };
}

describe("replay", () => {
  it("says what would happen, by subscription, and does nothing", async () => {
    const { sourceId, subscriptionId } = await withDeadLetters(3);
    const { code, stdout } = await cli(`replay --source ${sourceId} --since 2h --dry-run`);
    expect(code).toBe(0);
    expect(stdout).toContain("3 deliveries matched, 3 to replay, in 1s.\n");
    expect(stdout).toMatch(new RegExp(`^${subscriptionId} +${sourceId} +3 +3`, "m"));
    expect(JSON.parse((await cli(`replay --source ${sourceId} --dry-run --json`)).stdout)).toMatchObject({ replay: 3 });
    const because = async (reason: string) =>
      JSON.parse((await cli(`replay --source ${sourceId} --because ${reason} --dry-run --json`)).stdout).replay;
    expect([await because("permanent"), await because("exhausted")]).toEqual([3, 0]);
    expect((await cli("replay list")).stderr).toBe("No bulk replays.\n");
  });

  it("asks with the count, goes on until it has ended, and does not find anything a second time", async () => {
    const { sourceId } = await withDeadLetters(2);
    const refused = await cli(`replay --source ${sourceId}`, { terminal: 100, answer: "n" });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("Replay 2 deliveries? [y/N]")]);
    const unasked = await cli(`replay --source ${sourceId}`);
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining("no terminal to ask on.\nPass --yes")]);
    answer.status = 200;
    const { code, stdout, stderr } = await cli(`replay --source ${sourceId} --reason ticket`, {
      terminal: 100,
      answer: "y",
      pause,
    });
    expect(code).toBe(0);
    expect(stderr).toMatch(/\[#+\] done: 2\/2 replayed/);
    expect(stdout).toMatch(/^.*replayed.* 2$/m);
    const [, id = ""] = /(rpl_\w+)/.exec(stdout) ?? [];
    expect((await cli(`replay show ${id}`)).stdout).toMatch(/^what for +ticket$/m);
    expect((await cli("replay list")).stdout).toContain(id);
    const again = await cli(`replay --source ${sourceId}`);
    expect([again.code, again.stderr]).toEqual([1, "error: Nothing to replay. Skipped: 2 already_replayed.\n"]);
  });

  it("is left to itself by Ctrl-C, and paused, resumed, cancelled by name", async () => {
    const { sourceId } = await withDeadLetters(3);
    const { code, stderr } = await cli(`replay --source ${sourceId} --per-second 1 --yes`, { pause: async () => true });
    expect(code).toBe(0);
    const [, id = ""] = /(rpl_\w+) goes on\. `steadyhook replay follow\|pause\|cancel/.exec(stderr) ?? [];
    expect((await cli(`replay pause ${id}`)).stdout).toMatch(/^state +paused$/m);
    expect((await cli(`replay resume ${id}`)).stdout).toMatch(/^state +running$/m);
    expect((await cli(`replay cancel ${id}`)).stdout).toMatch(/^state +cancelled$/m);
    expect((await cli(`replay resume ${id}`)).stderr).toContain("is cancelled");
  });
});

describe("one delivery", () => {
  it("is replayed, under a key once, and cancelled while it is open", async () => {
    const { dead, subscriptionId } = await withDeadLetters(1);
    answer.status = 200;
    const made = await cli(`deliveries replay ${dead[0]} --key k`);
    const [, id = ""] = /^(dlv_\w+) is on its way to/.exec(made.stdout) ?? [];
    expect((await cli(`deliveries replay ${dead[0]} --key k`)).stdout).toBe(made.stdout);
    expect((await cli(`deliveries show ${dead[0]}`)).stdout).toMatch(new RegExp(`^replayed as +${id}$`, "m"));
    await eventually(async () =>
      (await cli(`deliveries show ${id}`)).stdout.includes("delivered") ? true : undefined,
    );
    expect((await cli(`deliveries cancel ${id}`)).stderr).toContain("there is nothing to cancel");
    await cli(`subscriptions pause ${subscriptionId}`);
    await gateChangeKnown();
    const held = JSON.parse((await cli(`deliveries replay ${dead[0]} --json`)).stdout).deliveryId;
    await eventually(async () => ((await cli(`deliveries show ${held}`)).stdout.includes("parked") ? true : undefined));
    expect((await cli(`deliveries cancel ${held}`)).stdout).toBe(`${held} is cancelled.\n`);
  });
});

describe("a test event", () => {
  it("is waited for, and shown; a failure is one of the command", async () => {
    const { subscriptionId } = await withDeadLetters(0);
    answer.status = 200;
    const good = await cli(`subscriptions test ${subscriptionId}`, { pause });
    expect([good.code, good.stdout]).toEqual([0, expect.stringMatching(/^status +delivered$/m)]);
    answer.status = 422;
    const bad = await cli(`subscriptions test ${subscriptionId} --type a.b`, { pause });
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining("The test event is dead_lettered.")]);
    expect((await cli(`subscriptions test ${subscriptionId} --no-wait`)).stdout).toMatch(/^dlv_\w+ is on its way\.\n$/);
  });
});

describe("an event", () => {
  it("is erased, and the trail says by whom and why", async () => {
    const { dead, sourceId } = await withDeadLetters(1);
    const { eventId } = JSON.parse((await cli(`deliveries show ${dead[0]} --json`)).stdout);
    expect((await cli(`events erase ${eventId} --yes --reason gdpr`)).stdout).toBe(
      `${eventId} is erased, with 1 delivery.\n`,
    );
    expect((await cli(`events body ${eventId}`)).stderr).toContain("was erased at");
    const { stdout } = await cli(`audit --subject ${eventId}`);
    expect(stdout).toMatch(new RegExp(`event\\.erase +${eventId} +done +\\S+user/local +gdpr`));
    expect((await cli(`audit --subject ${sourceId} --json`)).stdout).toContain("source.create");
  });
});
