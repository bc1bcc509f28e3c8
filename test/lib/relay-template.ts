import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { type IVpc, Vpc } from "aws-cdk-lib/aws-ec2";
import cdkJson from "../../cdk.json" with { type: "json" };
import { Steadyhook } from "../../lib/steadyhook.js";
import type { SteadyhookProps } from "../../lib/steadyhook-props.js";

/** Functions that do nothing: tests of the template need no build. */
export const stubFunctions = createStubFunctions();

function createStubFunctions(): string {
  const folder = mkdtempSync(join(tmpdir(), "steadyhook-functions-"));
  for (const name of ["ingress", "delivery", "admin", "sweeper", "alert"]) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "index.mjs"), `export const handler = () => "${name}";\n`);
  }
  return folder;
}

/** An app with the flags of cdk.json. */
export function anApp(context: Record<string, unknown> = {}): App {
  return new App({ context: { ...cdkJson.context, ...context } });
}

type RelayProps = Partial<SteadyhookProps>;

/** A stack with one relay; `props` may be made with the stack as scope. */
export function aRelay(props: RelayProps | ((stack: Stack) => RelayProps) = {}): { stack: Stack; relay: Steadyhook } {
  const stack = new Stack(anApp(), "Test");
  const given = typeof props === "function" ? props(stack) : props;
  const relay = new Steadyhook(stack, "Relay", { alarms: false, functionsPath: stubFunctions, ...given });
  return { stack, relay };
}

/** The template of such a stack. */
export function relayTemplate(props: RelayProps | ((stack: Stack) => RelayProps) = {}): Template {
  return Template.fromStack(aRelay(props).stack);
}

export interface Resource {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

/** The resources whose logical id starts with `prefix` and whose type ends with `type`, by logical id. */
export function resources(template: Template, type: string, prefix = ""): [logicalId: string, Resource][] {
  const all = Object.entries(template.toJSON()["Resources"] as Record<string, Resource>);
  return all.filter(([id, resource]) => id.startsWith(prefix) && resource.Type.endsWith(type));
}

/** The properties of the only such resource. */
// biome-ignore lint/suspicious/noExplicitAny: templates are deep JSON that assertions look into
export function properties(template: Template, type: string, prefix = ""): any {
  const found = resources(template, type, prefix);
  if (found.length !== 1) throw new Error(`${found.length} resources of type ${type} start with "${prefix}"`);
  return found[0]?.[1].Properties ?? {};
}

export interface Statement {
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Effect: string;
  readonly Condition?: unknown;
}

/** The statements of the policy of the role whose logical id starts with `prefix`. */
export function statements(template: Template, prefix: string): Statement[] {
  return properties(template, "::IAM::Policy", prefix).PolicyDocument.Statement;
}

/** An ARN or another value as one line of text: `<LogicalId>` for a Ref, `<LogicalId.Attribute>` for a GetAtt. */
export function flat(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const [[intrinsic, argument]] = Object.entries(value) as [[string, unknown]];
  if (intrinsic === "Ref") return `<${argument}>`;
  if (intrinsic === "Fn::GetAtt") return `<${(argument as string[]).join(".")}>`;
  if (intrinsic === "Fn::Join") return (argument as [string, unknown[]])[1].map(flat).join("");
  throw new Error(`unknown intrinsic ${intrinsic}`);
}

/** A network with two private subnets. (The cast: CDK's types are not written for exactOptionalPropertyTypes.) */
export const aVpc = (scope: Stack): IVpc => new Vpc(scope, "Vpc", { maxAzs: 2 }) as IVpc;

/** Sorted by code unit, so that lists compare whatever their order was. */
export const sorted = (values: Iterable<string>): string[] => [...values].sort((a, b) => (a < b ? -1 : Number(a > b)));

/** `value` as a list, however CloudFormation wrote it. */
export const list = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);
