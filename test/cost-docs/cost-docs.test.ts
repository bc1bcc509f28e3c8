import { expect, it } from "vitest";
import { costParts } from "./cost-tables.js";

it.each(Object.entries(costParts))(
  "docs/cost.md has the %s that the model gives (npm run cost-docs)",
  async (_name, { part, content }) => {
    expect(content()).toBe(await part.read());
  },
);
