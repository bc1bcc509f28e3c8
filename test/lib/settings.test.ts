import { Duration, Stack } from "aws-cdk-lib";
import { SecurityGroup } from "aws-cdk-lib/aws-ec2";
import { Topic } from "aws-cdk-lib/aws-sns";
import { describe, expect, test } from "vitest";
import { presets } from "../../functions/core/presets.js";
import { resolveSettings } from "../../lib/settings.js";
import type { PolicyPreset, SteadyhookProps } from "../../lib/steadyhook-props.js";
import { aVpc } from "./relay-template.js";

const stack = new Stack();
const vpc = aVpc(stack);
const wrong = (props: object) => () => resolveSettings({ alarms: false, ...props } as SteadyhookProps);
const seconds = Duration.seconds;

describe("props that cannot work are refused with their name and the fix", () => {
  test.each<[problem: string, props: object, message: RegExp]>([
    ["no alarms", { alarms: undefined }, /alarms is missing\. Pass \{\}, \{ topic \} or.* false/],
    ["subnets without vpc", { vpcSubnets: {} }, /vpcSubnets is given without vpc\. Pass vpc as well/],
    ["groups without vpc", { securityGroups: [] }, /securityGroups is given without vpc/],
    ["no way in", { disableDefaultEndpoint: true }, /disableDefaultEndpoint would leave no way in\. Pass domain/],
    ["http", { publicUrl: "http://a.example" }, /publicUrl is not an https URL.*\(got "http:\/\/a\.example"\)/],
    ["a block", { privateDestinations: ["10.20.0.0/33"] }, /privateDestinations names "10\.20\.0\.0\/33"/],
    ["a query", { publicUrl: "https://a.example/?x=1" }, /publicUrl is not an https URL without query/],
    ["no rate", { throttle: { rateLimit: 0 } }, /throttle\.rateLimit must be above 0 \(got 0\)/],
    ["half a burst", { throttle: { burstLimit: 0.5 } }, /throttle\.burstLimit must be a whole number from 1 on/],
    ["one invocation", { maxConcurrency: 1 }, /maxConcurrency must be a whole number from 2 to 1000 \(got 1\)/],
    ["too many", { maxConcurrency: 1001 }, /maxConcurrency must be/],
    ["a long function", { deliveryTimeout: seconds(901) }, /deliveryTimeout must be whole seconds from 1 to 900/],
    ["half a second", { deliveryTimeout: Duration.millis(90_500) }, /deliveryTimeout must be whole seconds/],
    ["a long delay", { maxQueueDelay: seconds(901) }, /maxQueueDelay must be whole seconds from 1 to 900/],
    ["a short retention", { retention: Duration.days(7) }, /retention must be whole days from 8 on \(got 7\)/],
    ["hours of retention", { retention: Duration.hours(200) }, /retention must be whole days/],
    ["an unknown preset", { defaults: { policyPreset: "x" } }, /policyPreset is not a preset \(got "x"\)\. Use one of/],
    ["no attempts", { defaults: { maxAttempts: 0 } }, /defaults\.maxAttempts must be a whole number from 1/],
    ["no time to connect", { defaults: { connectTimeout: seconds(0) } }, /defaults\.connectTimeout must be/],
    ["no time to read", { defaults: { readTimeout: seconds(0) } }, /defaults\.readTimeout must be/],
  ])("%s", (_problem, props, message) => {
    expect(wrong(props)).toThrow(message);
    expect(wrong(props)).toThrow(/^Steadyhook: /);
  });

  test("an attempt that does not fit the delivery function says how long it must run", () => {
    expect(wrong({ deliveryTimeout: seconds(84) })).toThrow(
      /deliveryTimeout is 84 s, but connect timeout, read timeout and 10 s to record take 85 s\. Raise .* to at least 85 s/,
    );
    expect(wrong({ deliveryTimeout: seconds(85) })).not.toThrow();
    expect(wrong({ defaults: { readTimeout: seconds(66) } })).toThrow(/deliveryTimeout/);
  });
});

describe("props that work", () => {
  test("alarms with a topic", () => {
    expect(wrong({ alarms: { topic: new Topic(stack, "Topic") } })).not.toThrow();
  });

  test("vpc with subnets and groups", () => {
    const group = new SecurityGroup(stack, "Group", { vpc });
    expect(wrong({ vpc, vpcSubnets: {}, securityGroups: [group] })).not.toThrow();
  });

  test("every preset of the core, and no other", () => {
    const named: Record<PolicyPreset, true> = {
      default: true,
      hookwatch: true,
      "notification-rules": true,
      "standard-webhooks": true,
    };
    expect(new Set(Object.keys(presets))).toEqual(new Set(Object.keys(named)));
    for (const policyPreset of Object.keys(presets)) expect(wrong({ defaults: { policyPreset } })).not.toThrow();
  });
});
