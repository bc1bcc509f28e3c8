import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { UnreadableSecretsError, Vault } from "../../../functions/adapters/aws/vault.js";
import { memoryDataKeys } from "../../support/memory-data-keys.js";

describe("the vault", () => {
  test("opens what it sealed", async () => {
    const keys = memoryDataKeys();
    const blob = await new Vault(keys).seal("src_1", { sec_1: "It's a Secret", sec_2: "😊" });
    expect(await new Vault(keys).unseal("src_1", blob)).toEqual({ sec_1: "It's a Secret", sec_2: "😊" });
  });

  test("leaves no secret readable in the blob", async () => {
    const blob = await new Vault(memoryDataKeys()).seal("src_1", { sec_1: "plain-as-day" });
    expect(blob.toString("latin1")).not.toContain("plain-as-day");
    expect(blob.toString("latin1")).not.toContain("sec_1");
  });

  test("seals the same secrets differently each time", async () => {
    const vault = new Vault(memoryDataKeys());
    expect(await vault.seal("src_1", { sec_1: "a" })).not.toEqual(await vault.seal("src_1", { sec_1: "a" }));
  });

  test("refuses a blob of another owner, even while it is in memory", async () => {
    const vault = new Vault(memoryDataKeys());
    const blob = await vault.seal("src_1", { sec_1: "a" });
    await expect(vault.unseal("src_2", blob)).rejects.toThrow();
  });

  test("binds the ciphertext itself to its owner, whatever the data key allows", async () => {
    const key = randomBytes(32);
    const permissive = { generate: async () => ({ plain: key, sealed: key }), open: async () => key };
    const blob = await new Vault(permissive).seal("src_1", { sec_1: "a" });
    await expect(new Vault(permissive).unseal("src_2", blob)).rejects.toThrow(UnreadableSecretsError);
  });

  test("refuses a blob with any bit changed, cut short or of an unknown version", async () => {
    const keys = memoryDataKeys();
    const blob = await new Vault(keys).seal("src_1", { sec_1: "a" });
    for (const at of [0, blob.length - 1, blob.length - 20]) {
      const damaged = Buffer.from(blob);
      damaged.writeUInt8((damaged[at] ?? 0) ^ 1, at);
      await expect(new Vault(keys).unseal("src_1", damaged)).rejects.toThrow(UnreadableSecretsError);
    }
    await expect(new Vault(keys).unseal("src_1", blob.subarray(0, 20))).rejects.toThrow(UnreadableSecretsError);
  });

  test("asks for the data key of an unchanged blob once", async () => {
    const keys = memoryDataKeys();
    const blob = await new Vault(keys).seal("src_1", { sec_1: "a" });
    const vault = new Vault(keys);
    await vault.unseal("src_1", blob);
    await vault.unseal("src_1", Buffer.from(blob));
    expect(keys.opened).toBe(1);
  });

  test("remembers a bounded number of blobs", async () => {
    const keys = memoryDataKeys();
    const sealer = new Vault(keys);
    const blobs = [await sealer.seal("src_1", {}), await sealer.seal("src_1", {})] as const;
    const vault = new Vault(keys, 1);
    for (const blob of [...blobs, blobs[0]]) await vault.unseal("src_1", blob);
    expect(keys.opened).toBe(3);
  });
});
