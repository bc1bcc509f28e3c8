import { type IntrinsicScope, resolveIntrinsics } from "./intrinsics.js";
import { accountId, region } from "./local-account.js";

/** A template as CloudFormation reads it, as far as the engine looks into it. */
export interface TemplateDocument {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Parameters?: Readonly<Record<string, { readonly Default?: unknown }>>;
}

export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly Metadata?: Readonly<Record<string, unknown>>;
}

/** Where the local services answer: part of queue URLs. */
export interface LocalEndpoints {
  /** Without a trailing slash. */
  readonly awsUrl: string;
  readonly gatewayUrl: string;
}

/** A template whose resources have their local names, ARNs and URLs. */
export class CloudTemplate {
  readonly #document: TemplateDocument;
  readonly #endpoints: LocalEndpoints;
  readonly #names: ReadonlyMap<string, string>;
  readonly #scope: IntrinsicScope = {
    ref: (logicalId) => this.#ref(logicalId),
    attribute: (logicalId, name) => this.attribute(logicalId, name),
  };

  constructor(document: TemplateDocument, endpoints: LocalEndpoints) {
    this.#document = document;
    this.#endpoints = endpoints;
    this.#names = shortNames(Object.keys(document.Resources));
  }

  /** Logical ids of a type, in the template's order. */
  ofType(...types: string[]): string[] {
    const { Resources } = this.#document;
    return Object.keys(Resources).filter((id) => types.includes(Resources[id]?.Type ?? ""));
  }

  /** One property, resolved; undefined when absent. Others are not looked at: they may use what is unknown here. */
  property(logicalId: string, name: string): unknown {
    const value = this.#document.Resources[logicalId]?.Properties?.[name];
    return resolveIntrinsics(value, this.#scope, `Resources.${logicalId}.Properties.${name}`);
  }

  metadata(logicalId: string, name: string): unknown {
    return this.#document.Resources[logicalId]?.Metadata?.[name];
  }

  /** The local name: the logical id without its hash, so that a person finds the resource with the aws CLI. */
  name(logicalId: string): string {
    return this.#names.get(logicalId) ?? logicalId;
  }

  /** `Arn` and the few other attributes that wiring uses. */
  attribute(logicalId: string, attribute: string): unknown {
    const name = this.name(logicalId);
    const type = this.#typeOf(logicalId);
    if (attribute === "Arn") return arnOf(type, name);
    if (type === "AWS::SQS::Queue" && attribute === "QueueName") return name;
    if (type === "AWS::SQS::Queue" && attribute === "QueueUrl") return this.#ref(logicalId);
    if (type === "AWS::KMS::Key" && attribute === "KeyId") return this.#ref(logicalId);
    if (type === "AWS::ApiGatewayV2::Api" && attribute === "ApiEndpoint") return this.#endpoints.gatewayUrl;
    throw new Error(`template: Fn::GetAtt ${logicalId}.${attribute} (${type}) is not known to the local engine`);
  }

  #ref(logicalId: string): unknown {
    const pseudo = pseudoParameters[logicalId];
    if (pseudo !== undefined) return pseudo;
    const parameter = this.#document.Parameters?.[logicalId];
    if (parameter?.Default !== undefined) return parameter.Default;
    const type = this.#typeOf(logicalId);
    const name = this.name(logicalId);
    if (type === "AWS::SQS::Queue") return `${this.#endpoints.awsUrl}/${accountId}/${name}`;
    if (type === "AWS::SNS::Topic") return arnOf(type, name);
    return type === "AWS::S3::Bucket" ? name.toLowerCase() : name;
  }

  #typeOf(logicalId: string): string {
    const resource = this.#document.Resources[logicalId];
    if (resource === undefined) throw new Error(`template: nothing is called ${logicalId}`);
    return resource.Type;
  }
}

const pseudoParameters: Readonly<Record<string, string>> = {
  "AWS::AccountId": accountId,
  "AWS::Region": region,
  "AWS::Partition": "aws",
  "AWS::URLSuffix": "amazonaws.com",
  "AWS::StackName": "steadyhook-local",
  "AWS::StackId": `arn:aws:cloudformation:${region}:${accountId}:stack/steadyhook-local/local`,
};

function arnOf(type: string, name: string): string {
  const here = `${region}:${accountId}`;
  switch (type) {
    case "AWS::SQS::Queue":
      return `arn:aws:sqs:${here}:${name}`;
    case "AWS::SNS::Topic":
      return `arn:aws:sns:${here}:${name}`;
    case "AWS::Lambda::Function":
      return `arn:aws:lambda:${here}:function:${name}`;
    case "AWS::DynamoDB::Table":
    case "AWS::DynamoDB::GlobalTable":
      return `arn:aws:dynamodb:${here}:table/${name}`;
    case "AWS::KMS::Key":
      return `arn:aws:kms:${here}:key/${name}`;
    case "AWS::S3::Bucket":
      return `arn:aws:s3:::${name.toLowerCase()}`;
    case "AWS::IAM::Role":
      return `arn:aws:iam::${accountId}:role/${name}`;
    case "AWS::Scheduler::ScheduleGroup":
      return `arn:aws:scheduler:${here}:schedule-group/${name}`;
    default:
      return `arn:aws:local:${here}:${type.replaceAll("::", "/")}/${name}`;
  }
}

/** CDK ends a logical id with eight hex digits; they stay where two ids would otherwise be one. */
function shortNames(logicalIds: readonly string[]): Map<string, string> {
  const shorten = (id: string): string => id.replace(/(?<=.)[0-9A-F]{8}$/, "");
  const counts = new Map<string, number>();
  for (const id of logicalIds) counts.set(shorten(id), (counts.get(shorten(id)) ?? 0) + 1);
  return new Map(logicalIds.map((id) => [id, counts.get(shorten(id)) === 1 ? shorten(id) : id]));
}
