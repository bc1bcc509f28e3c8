import { type LookupAddress, lookup as nodeLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { FaultError, faultFrom, faultOf } from "./errors.js";

/** Resolves a host name to every address that it has, in the order to try them. */
export type HostLookup = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Null when an address may be connected to; otherwise the reason. */
type VetAddress = (ip: string) => string | null;

/** The system's resolver (hosts file included), order kept, running look-ups shared. */
export function systemLookup(): HostLookup {
  return sharedLookup(resolveAll);
}

/**
 * Lets callers that ask for a name that is being resolved already wait for the same answer; answers are not kept.
 * getaddrinfo holds one of libuv's four threads, and ten deliveries to one name that hangs must not take them all.
 */
export function sharedLookup(resolve: HostLookup): HostLookup {
  const running = new Map<string, Promise<readonly LookupAddress[]>>();
  return (hostname) => {
    const shared = running.get(hostname) ?? resolve(hostname).finally(() => running.delete(hostname));
    running.set(hostname, shared);
    return shared;
  };
}

function resolveAll(hostname: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    nodeLookup(hostname, { all: true, order: "verbatim" }, (error, addresses) =>
      error === null ? resolve(addresses) : reject(error),
    );
  });
}

/** The fault that refuses an address, or null. A check that fails itself refuses too. */
function blockedBy(vet: VetAddress, ip: string): FaultError | null {
  try {
    const reason = vet(ip);
    return reason === null ? null : new FaultError(faultOf("blocked_address", reason));
  } catch {
    return new FaultError(faultOf("blocked_address", "the address could not be checked"));
  }
}

/**
 * A `lookup` for `net.connect` whose answer was vetted: the addresses that were checked are the ones connected to, so
 * that a name cannot show a public address to the check and a private one to the socket. One blocked address refuses
 * the whole answer. `onResolved` hears the addresses before they are handed over.
 */
export function vettedLookup(
  resolve: HostLookup,
  vet: VetAddress,
  onResolved: (addresses: readonly LookupAddress[]) => void,
): LookupFunction {
  const answer = async (hostname: string): Promise<readonly LookupAddress[]> => {
    const addresses = await resolve(hostname);
    if (addresses.length === 0) throw new FaultError(faultOf("dns", "the name has no address"));
    for (const { address } of addresses) {
      const blocked = blockedBy(vet, address);
      if (blocked !== null) throw blocked;
    }
    onResolved(addresses);
    return addresses;
  };
  return (hostname, options, callback) => {
    answer(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all === true) callback(null, [...addresses]);
        else callback(null, first?.address ?? "", first?.family);
      },
      (cause: unknown) => callback(new FaultError(faultFrom(cause, "resolve")), []),
    );
  };
}
