/**
 * Stands in for `@aws-sdk/middleware-endpoint-discovery` in the bundles (an alias of bin/build.js): the DynamoDB client
 * sets it up and none of its commands uses it, so its cache would only be weight.
 */

/** Where the SDK would look for the setting: nowhere. */
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: (): undefined => undefined,
  configFileSelector: (): undefined => undefined,
  default: undefined,
};

/** The client's settings as they are. */
export const resolveEndpointDiscoveryConfig = <Input>(input: Input): Input => input;
