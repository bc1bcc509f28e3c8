import { AwsError } from "../aws-error.js";

/** Where messages go that were received too often. */
export interface RedrivePolicy {
  readonly deadLetterTargetArn: string;
  readonly maxReceiveCount: number;
}

/** Range and default of each numeric attribute (SQS API reference, SetQueueAttributes). */
const numericAttributes: Readonly<Record<string, { min: number; max: number; fallback: number }>> = {
  DelaySeconds: { min: 0, max: 900, fallback: 0 },
  MaximumMessageSize: { min: 1024, max: 1_048_576, fallback: 1_048_576 },
  MessageRetentionPeriod: { min: 60, max: 1_209_600, fallback: 345_600 },
  ReceiveMessageWaitTimeSeconds: { min: 0, max: 20, fallback: 0 },
  VisibilityTimeout: { min: 0, max: 43_200, fallback: 30 },
};

/** Accepted and kept, without effect here. */
const inertAttributes = new Set([
  "Policy",
  "RedriveAllowPolicy",
  "KmsMasterKeyId",
  "KmsDataKeyReusePeriodSeconds",
  "SqsManagedSseEnabled",
]);

const invalidValue = (name: string, detail = ""): AwsError =>
  new AwsError("InvalidAttributeValue", `Invalid value for the parameter ${name}.${detail && ` ${detail}`}`);

/**
 * Checks what a caller sets on a queue. An empty text removes an attribute.
 * @throws {AwsError} `InvalidAttributeName`, `InvalidAttributeValue`, or `UnsupportedOperation` for FIFO queues.
 */
export function checkAttributes(attributes: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "FifoQueue" || name === "ContentBasedDeduplication") {
      throw new AwsError(
        "UnsupportedOperation",
        "The local SQS has standard queues only: FIFO queues are not supported.",
        {
          queryCode: "AWS.SimpleQueueService.UnsupportedOperation",
        },
      );
    }
    const range = numericAttributes[name];
    if (range !== undefined) {
      const number = Number(value);
      if (!/^\d+$/.test(value) || number < range.min || number > range.max) throw invalidValue(name);
    } else if (name === "RedrivePolicy") {
      parseRedrivePolicy(value);
    } else if (!inertAttributes.has(name)) {
      throw new AwsError("InvalidAttributeName", `Unknown Attribute ${name}.`);
    }
  }
}

/** Null for an empty text: no dead-letter queue. */
export function parseRedrivePolicy(text: string | undefined): RedrivePolicy | null {
  if (text === undefined || text === "") return null;
  const policy = parseJson(text) as Partial<Record<keyof RedrivePolicy, unknown>> | null;
  const maxReceiveCount = Number(policy?.maxReceiveCount);
  if (typeof policy?.deadLetterTargetArn !== "string") {
    throw invalidValue("RedrivePolicy", "deadLetterTargetArn must be the ARN of a queue.");
  }
  if (!Number.isInteger(maxReceiveCount) || maxReceiveCount < 1 || maxReceiveCount > 1000) {
    throw invalidValue("RedrivePolicy", "maxReceiveCount must be an integer from 1 to 1000.");
  }
  return { deadLetterTargetArn: policy.deadLetterTargetArn, maxReceiveCount };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidValue("RedrivePolicy", "It must be JSON.");
  }
}

/** A queue's settings: what was set, else AWS's default. */
export class QueueSettings {
  readonly redrivePolicy: RedrivePolicy | null;

  constructor(readonly given: Readonly<Record<string, string>>) {
    this.redrivePolicy = parseRedrivePolicy(given["RedrivePolicy"]);
  }

  get delaySeconds(): number {
    return this.#number("DelaySeconds");
  }

  get maximumMessageBytes(): number {
    return this.#number("MaximumMessageSize");
  }

  get retentionMs(): number {
    return this.#number("MessageRetentionPeriod") * 1000;
  }

  get waitSeconds(): number {
    return this.#number("ReceiveMessageWaitTimeSeconds");
  }

  get visibilityTimeoutSeconds(): number {
    return this.#number("VisibilityTimeout");
  }

  /** Everything that GetQueueAttributes shows of them. */
  all(): Record<string, string> {
    const defaults = Object.entries(numericAttributes).map(([name, { fallback }]) => [name, String(fallback)]);
    return { ...Object.fromEntries(defaults), SqsManagedSseEnabled: "true", ...this.given };
  }

  with(changes: Readonly<Record<string, string>>): QueueSettings {
    const kept = Object.entries({ ...this.given, ...changes }).filter(([, value]) => value !== "");
    return new QueueSettings(Object.fromEntries(kept));
  }

  #number(name: string): number {
    return Number(this.given[name] ?? numericAttributes[name]?.fallback);
  }
}
