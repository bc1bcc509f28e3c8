import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Rounds } from "../support/counting-rounds.js";

describe("round trips", () => {
  it("are one for calls that are made together, however long each takes", async () => {
    const rounds = new Rounds();
    await Promise.all([rounds.call(async () => 1), rounds.call(() => wait(20))]);
    expect(rounds.completed).toBe(1);
  });

  it("are one more for a call that waits for the answer of another", async () => {
    const rounds = new Rounds();
    const chain = async () => {
      await rounds.call(async () => 1);
      await rounds.call(async () => 2);
    };
    await Promise.all([chain(), rounds.call(() => wait(20)), chain()]);
    expect(rounds.completed).toBe(2);
  });

  it("end for a call that fails, too", async () => {
    const rounds = new Rounds();
    await expect(rounds.call(() => Promise.reject(new Error("throttled")))).rejects.toThrow("throttled");
    expect(rounds.completed).toBe(1);
  });
});
