/**
 * What each role may call: the construct's grants (lib/access.ts) and `steadyhook iam-policy` give the same, since both
 * read it here. Plain data, so that the CLI needs nothing of CDK.
 */

/** One kind of call: a method and a path in which `*` stands for anything. */
export type Call = readonly [method: string, path: string];

const readCalls: readonly Call[] = [
  ["GET", "/admin/*"],
  // Reads too: its question does not fit into a query.
  ["POST", "/admin/policy/preview"],
];

const operateCalls: readonly Call[] = [
  ...readCalls,
  ["POST", "/admin/deliveries/*/replay"],
  ["POST", "/admin/deliveries/*/cancel"],
  ["POST", "/admin/subscriptions/*/pause"],
  ["POST", "/admin/subscriptions/*/resume"],
  ["POST", "/admin/replays"],
  ["PATCH", "/admin/replays/*"],
  ["DELETE", "/admin/replays/*"],
  ["POST", "/admin/subscriptions/*/test"],
  ["POST", "/admin/faults/*/redrive"],
  // Both read, and are told whether a signature is right.
  ["POST", "/admin/sources/*/verify"],
  ["POST", "/admin/events/*/verify"],
];

const adminCalls: readonly Call[] = [["*", "/admin/*"]];

/** What each role of the admin API may call, from little to much. */
export const calls = { read: readCalls, operate: operateCalls, admin: adminCalls } as const;

/** What publishing takes. `sourceId`: the only source that is published to, or `*`. */
export const publishCalls = (sourceId: string): readonly Call[] => [["POST", `/publish/${sourceId}`]];

/** The API's only stage. */
export const stageName = "$default";
