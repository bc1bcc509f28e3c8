import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("the linter", () => {
  it("refuses a floating promise", { timeout: 120_000 }, () => {
    // A copy inside the tree: the canary itself is excluded from the ordinary run.
    const folder = mkdtempSync(join(root, "test/lint-check-"));
    try {
      writeFileSync(join(folder, "canary.ts"), readFileSync(join(root, "test/lint-canary/floating-promise.ts")));
      const biome = join(root, "node_modules/@biomejs/biome/bin/biome");
      const run = spawnSync(process.execPath, [biome, "lint", folder], { cwd: root, encoding: "utf8" });
      expect(run.stdout + run.stderr).toContain("noFloatingPromises");
      expect(run.status).not.toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
