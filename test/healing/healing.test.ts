import { describe, expect, it } from "vitest";
import { page, sectionOf } from "./healing-document.js";

describe("docs/healing.md", () => {
  // The longer ones take too long for every run: `npm run healing` plays them.
  it.each(["10m", "1h"] as const)("says of an outage of %s what the command says now", async (outage) => {
    const { row, limitedRow, block } = await sectionOf(outage);
    const text = await page();
    expect(text).toContain(row);
    expect(text).toContain(limitedRow);
    expect(text).toContain(block);
  });
});
