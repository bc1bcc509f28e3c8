import { describe, expect, it } from "vitest";
import { Progress } from "../../cli/progress.js";

function aProgress(columns: number | null) {
  const written: string[] = [];
  const write = (chunk: string | Uint8Array) => void written.push(String(chunk));
  return { written, progress: new Progress({ write, isTTY: columns !== null, columns: columns ?? undefined }) };
}

describe("progress", () => {
  it("is one line on a terminal, as long as there is room, which can be taken away", () => {
    const { written, progress } = aProgress(24);
    const long = "a text that leaves no room";
    progress.show(0.5, "1 of 2");
    progress.show(1, long);
    progress.show(0, "short");
    progress.clear();
    progress.clear();
    expect(written).toEqual([
      "\r[#######       ] 1 of 2",
      `\r${long}`,
      "\r[               ] short   ",
      `\r${" ".repeat(23)}\r`,
    ]);
  });

  it("is nothing elsewhere: a file would be full of it", () => {
    const { written, progress } = aProgress(null);
    progress.show(0.5, "1 of 2");
    progress.keep();
    expect(written).toEqual([]);
  });
});
