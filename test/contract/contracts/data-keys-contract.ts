import { describe, expect, it } from "vitest";
import { type DataKeys, UnreadableSecretsError, Vault } from "../../../functions/adapters/aws/vault.js";

/** What sealed secrets rely on. */
export function dataKeysContract(makeSubject: () => DataKeys): void {
  describe("a data key", () => {
    it("opens for the owner that it was made for, again and again", async () => {
      const keys = makeSubject();
      const { plain, sealed } = await keys.generate("src_a");
      expect(plain).toHaveLength(32);
      for (const _time of [1, 2]) expect(Buffer.from(await keys.open("src_a", sealed))).toEqual(Buffer.from(plain));
    });

    it("opens for no other owner, and not when it was changed", async () => {
      const keys = makeSubject();
      const { sealed } = await keys.generate("src_a");
      await expect(keys.open("src_b", sealed)).rejects.toThrow();
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(changed.length - 1) ^ 1, changed.length - 1);
      await expect(keys.open("src_a", changed)).rejects.toThrow();
    });

    it("is another one each time, and not to be seen in its sealed form", async () => {
      const keys = makeSubject();
      const [one, other] = [await keys.generate("src_a"), await keys.generate("src_a")];
      expect(Buffer.from(one.plain).equals(Buffer.from(other.plain))).toBe(false);
      expect(Buffer.from(one.sealed).includes(Buffer.from(one.plain))).toBe(false);
    });
  });

  describe("secrets sealed under it", () => {
    const secrets = { sec_1: "whsec_visible", sec_2: "grüße" };

    it("open in another environment for their owner, and for nobody else", async () => {
      const keys = makeSubject();
      const blob = await new Vault(keys).seal("sub_a", secrets);
      const anotherVault = new Vault(keys);
      expect(await anotherVault.unseal("sub_a", blob)).toEqual(secrets);
      await expect(anotherVault.unseal("sub_b", blob)).rejects.toThrow();
      expect(blob.includes("whsec_visible")).toBe(false);
    });

    it("do not open when a byte of theirs was changed", async () => {
      const keys = makeSubject();
      const blob = await new Vault(keys).seal("sub_a", secrets);
      blob.writeUInt8(blob.readUInt8(blob.length - 1) ^ 1, blob.length - 1);
      await expect(new Vault(keys).unseal("sub_a", blob)).rejects.toBeInstanceOf(UnreadableSecretsError);
    });
  });
}
