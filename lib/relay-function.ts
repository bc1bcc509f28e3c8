import type { CfnResource, Duration } from "aws-cdk-lib";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Function as LambdaFunction, RecursiveLoop, Runtime } from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { env } from "../functions/shared/env.js";
import { acknowledgeWildcard } from "./acknowledge.js";
import { defined } from "./defined.js";
import { type FunctionName, functionAsset } from "./function-asset.js";
import type { Settings } from "./settings.js";
import type { SteadyhookProps } from "./steadyhook-props.js";

/** What all functions of a relay have in common. */
export interface FunctionContext {
  readonly props: SteadyhookProps;
  readonly settings: Settings;
  /** Tells relays apart that share an account: see {@link relayNameOf}. */
  readonly relayName: string;
}

export interface RelayFunctionProps extends FunctionContext {
  readonly name: FunctionName;
  readonly description: string;
  readonly timeout: Duration;
  /** Keys from `functions/shared/env.ts`; undefined ones are left out. */
  readonly environment: Record<string, string | undefined>;
  /**
   * True for a function that sends to a queue which triggers it: Lambda would stop it after about 16 hops.
   *
   * @default false
   */
  readonly feedsItself?: boolean;
  /**
   * In MB.
   *
   * @default 512
   */
  readonly memoryMb?: number;
}

/** A third of a CPU: with less, the import of the SDK dominates a cold start that somebody waits for. */
const defaultMemoryMb = 512;

/**
 * A Lambda function with its own role and log group beside it, and no permission but to write that log. (An own role
 * instead of the managed policies, which allow writing to every log group of the account.)
 */
export class RelayFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, { props, settings, relayName, ...own }: RelayFunctionProps) {
    const logGroup = new LogGroup(scope, "Log", {
      retention: settings.logRetention,
      removalPolicy: settings.removalPolicy,
    });
    const role = new Role(scope, "Role", { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
    logGroup.grantWrite(role);
    if (props.vpc) allowNetworkInterfaces(role);

    super(scope, id, {
      description: own.description,
      code: functionAsset(own.name, props.functionsPath),
      handler: "index.handler",
      runtime: Runtime.NODEJS_24_X,
      architecture: settings.architecture,
      memorySize: own.memoryMb ?? defaultMemoryMb,
      timeout: own.timeout,
      environment: defined({ ...own.environment, [env.relayName]: relayName }) as Record<string, string>,
      role,
      logGroup,
      recursiveLoop: own.feedsItself ? RecursiveLoop.ALLOW : RecursiveLoop.TERMINATE,
      ...defined({
        vpc: props.vpc,
        vpcSubnets: props.vpcSubnets,
        securityGroups: props.securityGroups && [...props.securityGroups],
      }),
    });
    // Tells the local relay which bundle this is, without parsing asset hashes.
    (this.node.defaultChild as CfnResource).addMetadata("steadyhook:function", own.name);
  }

  /** Allows `actions` on `resources` to this function. */
  allow(actions: readonly string[], ...resources: readonly string[]): void {
    this.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources: [...resources] }));
  }

  /** Allows `actions` on whatever matches an ARN that ends in a wildcard; `reason` says why no narrower one will do. */
  allowMatching(actions: readonly string[], resource: string, reason: string): void {
    this.allow(actions, resource);
    acknowledgeWildcard(this.role as Role, resource, reason);
  }
}

/** Allows what Lambda needs to attach a function to a network. */
function allowNetworkInterfaces(role: Role): void {
  const actions = [
    "ec2:AssignPrivateIpAddresses",
    "ec2:CreateNetworkInterface",
    "ec2:DeleteNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSubnets",
    "ec2:UnassignPrivateIpAddresses",
  ];
  // Reason for "*": the interfaces do not exist yet, and the Describe actions know no resources.
  role.addToPolicy(new PolicyStatement({ actions, resources: ["*"] }));
  acknowledgeWildcard(role, "*", "Network interfaces do not exist yet; Describe actions know no resources.");
}
