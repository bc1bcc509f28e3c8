import { randomBytes } from "node:crypto";
import { chmod, link, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

const keyBytes = 32;

/**
 * The secret that every local key is derived from: 32 random bytes in `kms-master.key` (mode 0600), made at the first
 * start. Without that file, what was encrypted stays encrypted for ever.
 */
export async function loadMasterKey(dataDir: string): Promise<Buffer> {
  const path = join(dataDir, "kms-master.key");
  await createOnce(path);
  await chmod(path, 0o600);
  const key = Buffer.from(await readFile(path, "utf8"), "base64");
  if (key.length !== keyBytes) throw new Error(`${path} is damaged: it must hold ${keyBytes} bytes in base64.`);
  return key;
}

/** Written beside and linked into place, so that a crash leaves no half-written key. */
async function createOnce(path: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFile(draft, `${randomBytes(keyBytes).toString("base64")}\n`, { mode: 0o600 });
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await unlink(draft);
  }
}
