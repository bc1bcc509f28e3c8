import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { ContentStore } from "../../../functions/app/ports.js";

/** What claim checks rely on. */
export function contentStoreContract(makeSubject: () => ContentStore): void {
  const aKey = () => `bodies/evt_contract/${randomBytes(16).toString("hex")}`;

  describe("a content", () => {
    it.each([0, 1, 255, 256_000, 1_048_576, 4_194_304])("of %i bytes is read back byte for byte", async (size) => {
      const store = makeSubject();
      const [key, packed] = [aKey(), randomBytes(size)];
      await store.put(key, packed);
      const read = await store.get(key);
      expect(Buffer.isBuffer(read) && read.equals(packed)).toBe(true);
    });

    it("is replaced as a whole", async () => {
      const store = makeSubject();
      const key = aKey();
      await store.put(key, Buffer.alloc(10_000, "long"));
      await store.put(key, Buffer.from("short"));
      expect((await store.get(key)).toString()).toBe("short");
    });

    it("is what it was when it was put", async () => {
      const store = makeSubject();
      const [key, packed] = [aKey(), Buffer.from("before")];
      await store.put(key, packed);
      packed.fill("x");
      (await store.get(key)).fill("y");
      expect((await store.get(key)).toString()).toBe("before");
    });

    it("that is not there is named as missing", async () => {
      await expect(makeSubject().get(aKey())).rejects.toMatchObject({ name: "ContentMissingError" });
    });
  });
}
