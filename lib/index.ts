/** The package's entry: what a CDK app may use. */
export type { AlarmSettings, AlarmThresholds, AlertSettings } from "./alarm-props.js";
export { Steadyhook } from "./steadyhook.js";
export type {
  DomainSettings,
  PolicyPreset,
  SteadyhookProps,
  SystemDefaultSettings,
  ThrottleSettings,
} from "./steadyhook-props.js";
export { SteadyhookStack, type SteadyhookStackProps } from "./steadyhook-stack.js";
