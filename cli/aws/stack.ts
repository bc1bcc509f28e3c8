import { CloudFormationClient, DescribeStacksCommand, type Output, type Stack } from "@aws-sdk/client-cloudformation";
import { CliError, usageError } from "../cli-error.js";
import { credentialProvider } from "./sign.js";

export interface StackQuery {
  readonly stack: string;
  /** Undefined: what environment and profile say. */
  readonly region: string | undefined;
  readonly profile: string | undefined;
  /** Path of the construct, for a stack with several relays. */
  readonly relay: string | undefined;
}

export interface StackRelay {
  readonly adminUrl: string;
  readonly ingressUrl: string;
  /** Where the stack is. */
  readonly region: string;
  /** Whose it is: twelve digits. */
  readonly account: string;
}

/** Finds a deployed relay by the outputs of its stack: logical ids have a hash, descriptions are fixed. */
export async function findStackRelay(query: StackQuery): Promise<StackRelay> {
  const client = new CloudFormationClient({
    ...(query.region === undefined ? {} : { region: query.region }),
    ...(query.profile === undefined ? {} : { profile: query.profile }),
    credentials: credentialProvider(query.profile),
  });
  try {
    const region = await regionOf(client);
    const { Outputs = [], StackId = "" } = await describe(client, query.stack, region);
    return { ...chooseRelay(Outputs, query), region, account: accountIn(StackId) };
  } finally {
    client.destroy();
  }
}

async function regionOf(client: CloudFormationClient): Promise<string> {
  try {
    return await client.config.region();
  } catch {
    throw usageError(
      "The stack's region is not known.",
      "Pass --region, set AWS_REGION, or use a profile that has one.",
    );
  }
}

async function describe(client: CloudFormationClient, stack: string, region: string): Promise<Partial<Stack>> {
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stack }));
    return Stacks[0] ?? {};
  } catch (error) {
    throw error instanceof CliError ? error : stackError(error as Error, stack, region);
  }
}

/** A stack's id is its ARN: `arn:aws:cloudformation:eu-central-1:123456789012:stack/…`. */
const accountIn = (stackId: string): string => stackId.split(":")[4] ?? "";

function stackError(error: Error, stack: string, region: string): CliError {
  if (error.name === "ValidationError" && /does not exist/.test(error.message)) {
    return new CliError(`There is no stack "${stack}" in ${region}.`, {
      code: "unknown_stack",
      fix: "Check its name, --region and --profile (the account).",
    });
  }
  return new CliError(`The stack "${stack}" could not be read in ${region}: ${error.message}`, {
    code: "stack_not_readable",
    fix: "The credentials need cloudformation:DescribeStacks. --url URL with --region needs no look at the stack.",
  });
}

/** `Steadyhook <name> (<path of the relay>): <meaning>`. */
const described = /^Steadyhook (\w+) \(([^)]*)\): /;

function chooseRelay(outputs: readonly Output[], { stack, relay }: StackQuery): Omit<StackRelay, "region" | "account"> {
  const relays = new Map<string, Map<string, string>>();
  for (const { Description = "", OutputValue } of outputs) {
    const [, name, path] = described.exec(Description) ?? [];
    if (name === undefined || path === undefined || OutputValue === undefined) continue;
    relays.set(path, (relays.get(path) ?? new Map<string, string>()).set(name, OutputValue));
  }
  const paths = [...relays.keys()];
  const path = relay ?? (paths.length === 1 ? paths[0] : undefined);
  if (paths.length === 0) throw new CliError(`The stack "${stack}" has no relay of Steadyhook.`, { code: "no_relay" });
  const chosen = path === undefined ? undefined : relays.get(path);
  if (chosen === undefined) {
    throw usageError(
      `The stack "${stack}" has ${relay === undefined ? "several relays" : `no relay "${relay}"`}.`,
      `Choose one: ${paths.map((each) => `--relay ${each}`).join(" or ")}.`,
    );
  }
  return { adminUrl: requiredOutput(chosen, "AdminUrl"), ingressUrl: requiredOutput(chosen, "IngressUrl") };
}

function requiredOutput(outputs: ReadonlyMap<string, string>, name: string): string {
  const value = outputs.get(name);
  if (value !== undefined) return value;
  throw new CliError(`The stack has no output ${name}.`, { code: "no_relay", fix: "Deploy it again." });
}
