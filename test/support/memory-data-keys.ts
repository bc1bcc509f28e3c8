import { randomBytes } from "node:crypto";
import type { DataKeys } from "../../functions/adapters/aws/vault.js";

/** Data keys in memory, as strict as KMS: a key opens for the owner it was made for only. Counts the openings. */
export function memoryDataKeys(): DataKeys & { opened: number } {
  const keys = new Map<string, { readonly ownerId: string; readonly plain: Buffer }>();
  return {
    opened: 0,
    async generate(ownerId) {
      const plain = randomBytes(32);
      const sealed = randomBytes(184);
      keys.set(sealed.toString("hex"), { ownerId, plain });
      return { plain, sealed };
    },
    async open(ownerId, sealed) {
      const key = keys.get(Buffer.from(sealed).toString("hex"));
      if (key?.ownerId !== ownerId) throw new Error("InvalidCiphertextException");
      this.opened += 1;
      return key.plain;
    },
  };
}
