import type { CloudTemplate } from "./cloud-template.js";
import { functionArn } from "./read-target.js";
import type { RouteWiring, TimerWiring } from "./wiring.js";

/** A route of the HTTP API with the function behind it. */
export function readRoute(template: CloudTemplate, id: string): RouteWiring {
  const target = String(template.property(id, "Target"));
  const name = target.replace(/^integrations\//, "");
  const integration = template.ofType("AWS::ApiGatewayV2::Integration").find((entry) => template.name(entry) === name);
  if (integration === undefined) throw new Error(`template: route ${id} has no integration ${target}`);
  const authorization = template.property(id, "AuthorizationType") ?? "NONE";
  if (authorization !== "NONE" && authorization !== "AWS_IAM") {
    throw new Error(
      `template: route ${id} has AuthorizationType ${String(authorization)}, unknown to the local engine`,
    );
  }
  return {
    routeKey: String(template.property(id, "RouteKey")),
    iam: authorization === "AWS_IAM",
    functionArn: functionArn(template, String(template.property(integration, "IntegrationUri"))),
  };
}

/** A rule with a rate: one timer per function target. */
export function readRule(template: CloudTemplate, id: string): TimerWiring[] {
  const expression = template.property(id, "ScheduleExpression");
  if (expression === undefined || template.property(id, "State") === "DISABLED") return [];
  const targets = (template.property(id, "Targets") ?? []) as Array<{ Arn: string; Input?: string }>;
  return targets.filter(isFunction).map((target) => timer(template, id, String(expression), target));
}

/** A recurring schedule that is part of the stack. */
export function readSchedule(template: CloudTemplate, id: string): TimerWiring[] {
  if (template.property(id, "State") === "DISABLED") return [];
  const target = template.property(id, "Target") as { Arn: string; Input?: string };
  const expression = String(template.property(id, "ScheduleExpression"));
  return isFunction(target) ? [timer(template, id, expression, target)] : [];
}

const isFunction = (target: { Arn: string }): boolean => target.Arn.includes(":lambda:");

function timer(
  template: CloudTemplate,
  id: string,
  expression: string,
  target: { Arn: string; Input?: string },
): TimerWiring {
  const rate = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression);
  if (rate === null) throw new Error(`template: ${id}: ${expression} is not a rate that the local engine knows`);
  const seconds = { minute: 60, hour: 3_600, day: 86_400 }[rate[2] as "minute" | "hour" | "day"];
  return {
    name: template.name(id),
    functionArn: functionArn(template, target.Arn),
    everySeconds: Number(rate[1]) * seconds,
    input: target.Input ?? null,
  };
}
