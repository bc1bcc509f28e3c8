import type { DataKeys } from "../../functions/adapters/aws/vault.js";

/** Data keys that are the same in every run: what a fixture holds under them opens for ever. */
export const fixedDataKeys: DataKeys = {
  async generate(ownerId) {
    return { plain: keyOf(), sealed: Buffer.from(`data key of ${ownerId}`) };
  },
  async open(ownerId, sealed) {
    if (Buffer.from(sealed).toString() !== `data key of ${ownerId}`) throw new Error("the key of another owner");
    return keyOf();
  },
};

const keyOf = (): Buffer => Buffer.alloc(32, 7);
