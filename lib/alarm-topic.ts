import { ArnFormat, Stack } from "aws-cdk-lib";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { type ITopic, Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import { acknowledge } from "./acknowledge.js";

/** The topic of a relay that was given none. */
export class AlarmTopic extends Construct {
  readonly topic: ITopic;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const topic = new Topic(this, "Topic", { displayName: "Steadyhook alarms", enforceSSL: true });
    acknowledge(
      topic,
      "AwsSolutions-SNS2",
      "Alarms cannot publish under SNS's own key, and their texts hold names and numbers only.",
    );
    const stack = Stack.of(this);
    // A policy of its own replaces the one by which the account may publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
        actions: ["sns:Publish"],
        resources: [topic.topicArn],
        conditions: {
          StringEquals: { "aws:SourceAccount": stack.account },
          ArnLike: {
            "aws:SourceArn": stack.formatArn({
              service: "cloudwatch",
              resource: "alarm",
              resourceName: "*",
              arnFormat: ArnFormat.COLON_RESOURCE_NAME,
            }),
          },
        },
      }),
    );
    this.topic = topic;
  }
}
