import type { LookupAddress } from "node:dns";
import { describe, expect, it } from "vitest";
import { FaultError } from "../../../functions/adapters/http/errors.js";
import { sharedLookup, vettedLookup } from "../../../functions/adapters/http/lookup.js";

const addresses: readonly LookupAddress[] = [
  { address: "2001:db8::1", family: 6 },
  { address: "192.0.2.1", family: 4 },
];

function ask(lookup: ReturnType<typeof vettedLookup>, all: boolean): Promise<unknown[]> {
  return new Promise((resolve) => lookup("hook.example", { all }, (...answer) => resolve(answer)));
}

describe("sharedLookup", () => {
  it("resolves a name once for all who ask while it is being resolved, and again afterwards", async () => {
    const asked: string[] = [];
    const lookup = sharedLookup(async (hostname) => {
      asked.push(hostname);
      return addresses;
    });
    await Promise.all([lookup("a.example"), lookup("a.example"), lookup("b.example")]);
    expect(asked).toEqual(["a.example", "b.example"]);
    await lookup("a.example");
    expect(asked).toHaveLength(3);
  });

  it("does not keep a failure", async () => {
    let failures = 1;
    const lookup = sharedLookup(() =>
      failures-- > 0 ? Promise.reject(new Error("down")) : Promise.resolve(addresses),
    );
    await expect(lookup("a.example")).rejects.toThrow("down");
    expect(await lookup("a.example")).toEqual(addresses);
  });
});

describe("vettedLookup", () => {
  it("hands every address over in the order of the answer", async () => {
    const heard: unknown[] = [];
    const lookup = vettedLookup(
      async () => addresses,
      () => null,
      (resolved) => heard.push(resolved),
    );
    expect(await ask(lookup, true)).toEqual([null, addresses]);
    expect(await ask(lookup, false)).toEqual([null, "2001:db8::1", 6]);
    expect(heard).toEqual([addresses, addresses]);
  });

  it("refuses when the check itself fails", async () => {
    const lookup = vettedLookup(
      async () => addresses,
      () => {
        throw new Error("bug");
      },
      () => {},
    );
    const [error, given] = await ask(lookup, true);
    expect(error).toBeInstanceOf(FaultError);
    expect((error as FaultError).fault.error).toBe("blocked_address");
    expect(given).toEqual([]);
  });
});
