import { Stack } from "aws-cdk-lib";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { CfnScheduleGroup } from "aws-cdk-lib/aws-scheduler";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { RelayFunction } from "./relay-function.js";

export interface SchedulingProps {
  /** The only queue that schedules may send to. */
  readonly target: IQueue;
}

/** Retries that are due later than SQS can delay: a group of one-time schedules, and the role that they run under. */
export class Scheduling extends Construct {
  readonly groupName: string;
  readonly role: Role;

  constructor(scope: Construct, id: string, { target }: SchedulingProps) {
    super(scope, id);
    // The L2 construct would give the group a physical name; CloudFormation chooses one when none is given.
    const group = new CfnScheduleGroup(this, "Group");
    this.groupName = group.ref;
    this.role = new Role(this, "Role", {
      description: "Steadyhook: lets the schedules of one group send to the delivery queue",
      assumedBy: new ServicePrincipal("scheduler.amazonaws.com", {
        // Against a confused deputy: only schedules of this group, in this account.
        conditions: {
          StringEquals: { "aws:SourceAccount": Stack.of(this).account },
          ArnEquals: { "aws:SourceArn": group.attrArn },
        },
      }),
    });
    this.role.addToPolicy(sendTo(target));
  }

  /** Lets a function create and delete schedules of this group, and hand them this one role. */
  grantSchedule(relayFunction: RelayFunction): void {
    // Not the group's own ARN: schedules are resources of their own, below `schedule/<group>/`.
    const schedules = Stack.of(this).formatArn({
      service: "scheduler",
      resource: "schedule",
      resourceName: `${this.groupName}/*`,
    });
    relayFunction.allowMatching(
      ["scheduler:CreateSchedule", "scheduler:DeleteSchedule"],
      schedules,
      "Schedules are made at run time, one per late retry, all in this group.",
    );
    relayFunction.addToRolePolicy(passRole(this.role));
  }
}

function sendTo(queue: IQueue): PolicyStatement {
  return new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [queue.queueArn] });
}

function passRole(role: Role): PolicyStatement {
  return new PolicyStatement({
    actions: ["iam:PassRole"],
    resources: [role.roleArn],
    conditions: { StringEquals: { "iam:PassedToService": "scheduler.amazonaws.com" } },
  });
}
