import type { SystemDefaults } from "../functions/shared/env.js";
import { defined } from "./defined.js";
import type { Settings } from "./settings.js";

/** The system-wide defaults as the functions read them from their environment. */
export function systemDefaultsJson(settings: Settings): string {
  const defaults: SystemDefaults = {
    policyPreset: settings.policyPreset,
    ...defined({ maxAttempts: settings.maxAttempts }),
    connectSeconds: settings.connectTimeout.toSeconds(),
    readSeconds: settings.readTimeout.toSeconds(),
  };
  return JSON.stringify(defaults);
}
