import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pageAt, repository } from "./markdown.js";

test("docs/local-engine.md lists every variable that `npm start` reads", () => {
  const read = (file: string) => readFileSync(join(repository, file), "utf8");
  const inSettings = [...read("local/settings.ts").matchAll(/\(environment, "(\w+)"/g)];
  // What the functions read by themselves is handed on to them.
  const handedOn = [...read("local/main.ts").matchAll(/\? \{ (\w+): process\.env/g)];
  const variables = new Set([...inSettings, ...handedOn].map(([, name]) => name));

  const rows = [...pageAt("docs/local-engine.md").text.matchAll(/^\| `([A-Z_]+)` \|/gm)];
  expect(new Set(rows.map(([, name]) => name))).toEqual(variables);
  expect(variables.size).toBeGreaterThan(5);
});
