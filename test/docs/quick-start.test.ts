import { readFileSync } from "node:fs";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { describe, expect, test } from "vitest";
import { SteadyhookStack } from "../../lib/steadyhook-stack.js";
import { pageAt, repository } from "./markdown.js";

const page = pageAt("docs/quick-start-aws.md");

/** The table's first column: one key a code span. */
const describedKeys = page.text
  .split("\n")
  .filter((line) => /^\| `/.test(line))
  .flatMap((line) => [...(line.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, key = ""]) => key));

/** What the app reads: `contextNumber(node, "maxAttempts")`, and `steadyhook:stackName`. */
function readKeys(): readonly string[] {
  const settings = readFileSync(join(repository, "lib/context-settings.ts"), "utf8");
  const app = readFileSync(join(repository, "bin/app.ts"), "utf8");
  const byHelpers = [...settings.matchAll(/context(?:Text|Number|Seconds|List)\([\w.]+, "(\w+)"\)/g)];
  const direct = [...`${settings}${app}`.matchAll(/tryGetContext\([`"](?:\$\{prefix\}|steadyhook:)(\w+)[`"]\)/g)];
  return [...byHelpers, ...direct].map(([, key = ""]) => key);
}

describe("docs/quick-start-aws.md", () => {
  test("lists every context key, and none that does nothing", () => {
    expect(new Set(describedKeys)).toEqual(new Set(readKeys()));
    expect(describedKeys.length).toBeGreaterThan(8);
  });

  test("names outputs that the stack has", () => {
    const stack = new SteadyhookStack(new App({ context: { "aws:cdk:bundling-stacks": [] } }), "Any", {
      alarms: false,
    });
    const outputs = new Set(stack.relay.outputs.keys());
    const named = [...page.text.matchAll(/`([A-Z][a-zA-Z]+(?:Url|Name))`/g)].map(([, name = ""]) => name);
    expect(named).toContain("IngressUrl");
    expect(named.filter((name) => !outputs.has(name))).toEqual([]);
  });

  test("says the name of the stack as the app gives it", () => {
    const app = readFileSync(join(repository, "bin/app.ts"), "utf8");
    const [, name] = /"steadyhook:stackName"\) \?\? "(\w+)"/.exec(app) ?? [];
    expect(new Set([...page.text.matchAll(/--stack (\w+)/g)].map(([, stack]) => stack))).toEqual(new Set([name]));
  });
});
