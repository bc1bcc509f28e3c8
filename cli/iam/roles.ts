/** Roles that call a relay, as the construct's grants have them. */
const callerRoles = ["publish", "read", "operate", "admin"] as const;

export type CallerRole = (typeof callerRoles)[number];

/** Roles that there is a policy for. */
export const policyRoles = [...callerRoles, "deploy"] as const;

export type PolicyRole = (typeof policyRoles)[number];
