import { describe, expect, test } from "vitest";
import { LruMap, ReadCache } from "../../../functions/adapters/aws/config-cache.js";

/** A cache over a scripted reader whose answers are given by hand. */
function aCache(options: { maxEntries?: number } = {}) {
  const state = { nowMs: 0, stored: new Map<string, string>() };
  const reads: string[] = [];
  const cache = new ReadCache<string>({
    maxAgeMs: 10_000,
    maxEntries: options.maxEntries ?? 10,
    now: () => state.nowMs,
    read: async (key) => {
      reads.push(key);
      return state.stored.get(key) ?? null;
    },
  });
  return { state, reads, cache };
}

describe("the read cache", () => {
  test("reads again once the value is as old as allowed, not before", async () => {
    const { state, cache, reads } = aCache();
    state.stored.set("a", "old");
    await cache.get("a");
    state.stored.set("a", "new");
    state.nowMs = 9_999;
    expect(await cache.get("a")).toBe("old");
    state.nowMs = 10_000;
    expect(await cache.get("a")).toBe("new");
    expect(reads).toHaveLength(2);
  });

  test("reads again when the clock was set back, and keeps what it read then", async () => {
    const { state, cache, reads } = aCache();
    state.nowMs = 3_600_000;
    state.stored.set("a", "old");
    await cache.get("a");
    state.stored.set("a", "new");
    state.nowMs = 0;
    expect(await cache.get("a")).toBe("new");
    expect(await cache.get("a")).toBe("new");
    expect(reads).toHaveLength(2);
  });

  test("never keeps absence", async () => {
    const { state, cache, reads } = aCache();
    expect(await cache.get("a")).toBeNull();
    expect(reads).toHaveLength(1);
    state.stored.set("a", "here");
    expect(await cache.get("a")).toBe("here");
  });

  test("shares one read between misses at the same time", async () => {
    const { state, cache, reads } = aCache();
    state.stored.set("a", "x");
    expect(await Promise.all([cache.get("a"), cache.get("a"), cache.get("a")])).toEqual(["x", "x", "x"]);
    expect(reads).toHaveLength(1);
  });

  test("shares one read between those who know that the value is another by now", async () => {
    const { state, cache, reads } = aCache();
    state.stored.set("a", "old");
    await cache.get("a");
    state.stored.set("a", "new");
    const isNew = (value: string) => value === "new";
    expect(await Promise.all([cache.get("a", isNew), cache.get("a", isNew)])).toEqual(["new", "new"]);
    expect(await cache.get("a")).toBe("new");
    expect(reads).toHaveLength(2);
  });

  test("reads again for one who knows of more than a read under way has found, once", async () => {
    const { state, cache, reads } = aCache();
    state.stored.set("a", "old");
    const underWay = cache.get("a");
    state.stored.set("a", "new");
    expect(await cache.get("a", (value) => value === "new")).toBe("new");
    expect(await cache.get("a", (value) => value === "never")).toBe("new");
    expect([await underWay, reads.length]).toEqual(["old", 3]);
  });

  test("a fresh read asks again and updates the memory", async () => {
    const { state, cache, reads } = aCache();
    state.stored.set("a", "old");
    await cache.get("a");
    state.stored.set("a", "new");
    expect(await cache.fresh("a")).toBe("new");
    expect(await cache.get("a")).toBe("new");
    expect(reads).toHaveLength(2);
  });

  test("a slow older read does not replace a newer one", async () => {
    let nowMs = 0;
    const answers: ((value: string) => void)[] = [];
    const cache = new ReadCache<string>({
      maxAgeMs: 10_000,
      maxEntries: 10,
      now: () => nowMs,
      read: () => new Promise<string>((resolve) => answers.push(resolve)),
    });
    const slow = cache.get("a");
    nowMs = 1;
    const quick = cache.fresh("a");
    answers[1]?.("new");
    await quick;
    answers[0]?.("old");
    await slow;
    expect(await cache.get("a")).toBe("new");
  });

  test("keeps nothing of a read that failed", async () => {
    const faults = [new Error("table is away")];
    const cache = new ReadCache<string>({
      maxAgeMs: 10_000,
      maxEntries: 10,
      now: () => 0,
      read: async () => {
        const fault = faults.pop();
        if (fault !== undefined) throw fault;
        return "x";
      },
    });
    await expect(cache.get("a")).rejects.toThrow("table is away");
    expect(await cache.get("a")).toBe("x");
  });
});

describe("the bounded map", () => {
  test("forgets what was not used for longest", () => {
    const map = new LruMap<number>(2);
    map.set("a", 1);
    map.set("b", 2);
    map.get("a");
    map.set("c", 3);
    expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([1, undefined, 3]);
  });
});
