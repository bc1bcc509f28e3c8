import { describe, expect, it } from "vitest";
import type { ContentStore } from "../../functions/app/ports.js";
import { ContentsInTurn } from "../../functions/delivery/contents-in-turn.js";

/** A store whose reads end when they are told to. */
function slowStore() {
  const open: { readonly key: string; readonly end: (content: Buffer | Error) => void }[] = [];
  const store: ContentStore = {
    put: async () => {},
    get: (key) =>
      new Promise((resolve, reject) => {
        open.push({ key, end: (content) => (content instanceof Error ? reject(content) : resolve(content)) });
      }),
  };
  return { open, store };
}

const turnOfTheLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("contents of one invocation", () => {
  it("are read one after the other, each by its own key", async () => {
    const { open, store } = slowStore();
    const contents = new ContentsInTurn(store);
    const read = ["a", "b", "c"].map((key) => contents.get(key));
    for (const [at, key] of ["a", "b", "c"].entries()) {
      await turnOfTheLoop();
      expect(open.map((each) => each.key)).toEqual(["a", "b", "c"].slice(0, at + 1));
      open[at]?.end(Buffer.from(key));
    }
    expect((await Promise.all(read)).map(String)).toEqual(["a", "b", "c"]);
  });

  it("are read after one that is not there, too", async () => {
    const { open, store } = slowStore();
    const contents = new ContentsInTurn(store);
    const [missing, there] = [contents.get("a"), contents.get("b")];
    await turnOfTheLoop();
    open[0]?.end(new Error("gone"));
    await expect(missing).rejects.toThrow("gone");
    await turnOfTheLoop();
    open[1]?.end(Buffer.from("b"));
    expect(String(await there)).toBe("b");
  });
});
