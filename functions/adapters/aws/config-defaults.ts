import { env, type SystemDefaults } from "../../shared/env.js";

/** CTIMEOUT and RTIMEOUT of "Webhook Notification Retry Rules", and the policy of "Webhook Retry Best Practices". */
const builtIn: SystemDefaults = { policyPreset: "default", connectSeconds: 15, readSeconds: 60 };

/** The operator's defaults from `SYSTEM_DEFAULTS`; what it does not name is built in. */
export function systemDefaults(variables: Readonly<Record<string, string | undefined>> = process.env): SystemDefaults {
  return { ...builtIn, ...(JSON.parse(variables[env.systemDefaults] ?? "{}") as Partial<SystemDefaults>) };
}
