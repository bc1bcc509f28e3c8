import { readFileSync } from "node:fs";
import { toJsonSchema } from "@valibot/to-json-schema";
import { describe, expect, it } from "vitest";
import { applyFileSchema } from "../../cli/apply/apply-schema.js";
import { readApplyFile } from "../../cli/apply/read-apply-file.js";
import { filterJsonSchema, isFilterSchema } from "../../functions/app/admin/filter-schema.js";

/** The schema as it is published; `npx vitest run test/cli/apply-schema.test.ts -u` writes the file. */
function publishedSchema(): string {
  const filterRef = "#/definitions/filter";
  const schema = toJsonSchema(applyFileSchema, {
    typeMode: "input",
    // Whether a number is finite is not a question in JSON.
    ignoreActions: ["finite", "raw_check"],
    overrideSchema: ({ valibotSchema }) => (isFilterSchema(valibotSchema) ? { $ref: filterRef } : null),
    target: "draft-07",
  });
  const definitions = { filter: filterJsonSchema(filterRef) };
  const named = { $schema: schema.$schema, title: "steadyhook apply", ...schema, definitions };
  return `${JSON.stringify(named, null, 2)}\n`;
}

describe("the example in docs/cli.md", () => {
  it("is a file that apply takes", () => {
    const page = readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8");
    const [, example = ""] = /```json\n(.*?)```/s.exec(page) ?? [];
    const { managedBy, sources } = readApplyFile(Buffer.from(example), "docs/cli.md");
    expect({ managedBy, names: sources.flatMap((each) => each.subscriptions.map(({ name }) => name)) }).toEqual({
      managedBy: "team-a",
      names: ["builds", "audit"],
    });
  });
});

describe("cli/apply.schema.json", () => {
  it("is what the file is checked against", async () => {
    await expect(publishedSchema()).toMatchFileSnapshot("../../cli/apply.schema.json");
  });
});
