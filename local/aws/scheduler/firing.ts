import { randomUUID } from "node:crypto";
import { type LocalAccount, resourceOf } from "../arns.js";
import type { MissingPermission } from "../iam/needs.js";
import { optionalObject, optionalString } from "../json-input.js";
import type { Sqs } from "../sqs/sqs.js";
import type { ScheduleTarget } from "./schedule.js";

/** A schedule that is due. */
export interface Firing {
  readonly arn: string;
  readonly target: ScheduleTarget;
  readonly dueAtMs: number;
}

export type Fire = (firing: Firing) => Promise<void>;

/** Hands what is due to a target that is no queue, a function for instance. */
export type OnInvoke = (targetArn: string, input: string) => Promise<void> | void;

/** Fires into the local queues; every other target goes to `onInvoke`. */
export function fireTo(
  sqs: Sqs,
  onInvoke: OnInvoke | undefined,
  missingPermission: MissingPermission,
  account: LocalAccount,
): Fire {
  return async (firing) => {
    const { target } = firing;
    const input = inputOf(firing, account);
    const queueName = resourceOf(target.Arn, "sqs");
    if (queueName !== null) {
      const call = { service: "sqs", operation: "SendMessage", input: { QueueUrl: queueName } } as const;
      const missing = missingPermission(optionalString(target, "RoleArn") ?? "", call);
      if (missing !== null)
        throw new Error(`${target["RoleArn"]} does not allow ${missing.action} on ${missing.resource}.`);
      const parameters = optionalObject(target, "SqsParameters") ?? {};
      await sqs.sendBody(queueName, input, { groupId: optionalString(parameters, "MessageGroupId") ?? null });
    } else if (onInvoke !== undefined) {
      await onInvoke(target.Arn, input);
    } else {
      throw new Error(`Nothing here takes the target ${target.Arn}.`);
    }
  };
}

/** The input, its context attributes filled in; without one, the event that AWS makes up. */
function inputOf({ arn, target, dueAtMs }: Firing, account: LocalAccount): string {
  const time = `${new Date(dueAtMs).toISOString().slice(0, 19)}Z`;
  const executionId = randomUUID();
  const given = optionalString(target, "Input");
  if (given === undefined) {
    return JSON.stringify({
      version: "0",
      id: executionId,
      "detail-type": "Scheduled Event",
      source: "aws.scheduler",
      account: account.accountId,
      time,
      region: account.region,
      resources: [arn],
      detail: "{}",
    });
  }
  return given
    .replaceAll("<aws.scheduler.schedule-arn>", arn)
    .replaceAll("<aws.scheduler.scheduled-time>", time)
    .replaceAll("<aws.scheduler.execution-id>", executionId)
    .replaceAll("<aws.scheduler.attempt-number>", "1");
}
