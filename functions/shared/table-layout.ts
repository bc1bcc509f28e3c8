/**
 * The table's layout: one place that the constructs (key schema), the adapters (keys) and the local engine read.
 * Every access pattern with its keys is listed in docs/adr/0004-access-patterns-and-keys.md.
 */
export const tableLayout = {
  partitionKey: "pk",
  sortKey: "sk",
  ttlAttribute: "expiresAt",
  indexes: {
    /** A subscription's deliveries by time: written once, with the first write of the delivery. */
    listing: { name: "listing", partitionKey: "lpk", sortKey: "lsk" },
    /** What is due for somebody, by time over all owners: retries, gates, parked, dead letters, faults. Sparse. */
    due: { name: "due", partitionKey: "dpk", sortKey: "dsk" },
    /** What an owner (subscription or source) holds in an unusual state, in received order. Sparse. */
    state: { name: "state", partitionKey: "spk", sortKey: "ssk" },
  },
} as const;

/** Partitions of each index key that many items share: a partition takes 1,000 writes a second. */
export const indexShards = 4;
