import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { functionAsset } from "../../lib/function-asset.js";
import { stubFunctions } from "./relay-template.js";

test("a function that was not built is refused with the command that builds it", () => {
  const empty = mkdtempSync(join(tmpdir(), "steadyhook-empty-"));
  expect(() => functionAsset("delivery", empty)).toThrow(
    'The code of the delivery function is not built: run "npm run build" first.',
  );
});

test("a built function is found by its name", () => {
  expect(functionAsset("delivery", stubFunctions)).toMatchObject({ path: join(stubFunctions, "delivery") });
});
