import { toJsonSchema } from "@valibot/to-json-schema";
import { describe, expect, it } from "vitest";
import { applyFileSchema } from "../../cli/apply/apply-schema.js";

/** The schema as it is published; `npx vitest run test/cli/apply-schema.test.ts -u` writes the file. */
function publishedSchema(): string {
  // Whether a number is finite is not a question in JSON.
  const schema = toJsonSchema(applyFileSchema, { typeMode: "input", ignoreActions: ["finite"], target: "draft-07" });
  const named = { $schema: schema.$schema, title: "steadyhook apply", ...schema };
  return `${JSON.stringify(named, null, 2)}\n`;
}

describe("cli/apply.schema.json", () => {
  it("is what the file is checked against", async () => {
    await expect(publishedSchema()).toMatchFileSnapshot("../../cli/apply.schema.json");
  });
});
