import type { Credentials } from "../../app/ports.js";
import type { Vault } from "./vault.js";

/**
 * The credentials of one quarantined request as one blob of the vault, by the header's name. Suffix and query have names
 * that no header can have.
 */
const suffixName = ":suffix";
const queryName = ":query";

/** Undefined: there is nothing to seal. */
export async function sealCredentials(
  vault: Vault,
  eventId: string,
  { headers, suffix, query }: Credentials,
): Promise<Buffer | undefined> {
  const values = {
    ...Object.fromEntries(headers),
    ...(suffix === undefined ? {} : { [suffixName]: suffix }),
    ...(query === undefined ? {} : { [queryName]: query }),
  };
  return Object.keys(values).length === 0 ? undefined : vault.seal(eventId, values);
}

export async function unsealCredentials(vault: Vault, eventId: string, sealed: Buffer): Promise<Credentials> {
  const { [suffixName]: suffix, [queryName]: query, ...headers } = await vault.unseal(eventId, sealed);
  return {
    headers: Object.entries(headers),
    ...(suffix === undefined ? {} : { suffix }),
    ...(query === undefined ? {} : { query }),
  };
}
