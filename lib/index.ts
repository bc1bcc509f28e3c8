/** The package's entry: what a CDK app may use. */
export { Steadyhook } from "./steadyhook.js";
export type {
  AlarmSettings,
  DomainSettings,
  PolicyPreset,
  SteadyhookProps,
  SystemDefaultSettings,
  ThrottleSettings,
} from "./steadyhook-props.js";
export { SteadyhookStack, type SteadyhookStackProps } from "./steadyhook-stack.js";
