import { Duration } from "aws-cdk-lib";
import { Queue, QueueEncryption, type QueueProps } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { maxReceives } from "../functions/shared/queue-limits.js";
import { acknowledge } from "./acknowledge.js";

export interface QueuesProps {
  /** Timeout of the function that consumes the delivery queue and the slow lane. */
  readonly consumerTimeout: Duration;
  /** Timeout of the function that consumes the control queue and the fault queue. */
  readonly sweeperTimeout: Duration;
}

/** Lambda's advice: room for a batch that is throttled and retried while its messages stay hidden. */
const visibilityPerTimeout = 6;

const hiddenFor = (consumerTimeout: Duration): Duration =>
  Duration.seconds(consumerTimeout.toSeconds() * visibilityPerTimeout);

/** A moved message keeps its age: with half of SQS's 14 days here, a fault is visible for at least the other half. */
const workRetention = Duration.days(7);
const longestRetention = Duration.days(14);

/**
 * The queues of a relay. *Dead letters* are deliveries that ended badly (our own code put them there); *faults* are
 * messages that our own code could not process (SQS moved them there). The two are never mixed.
 */
export class Queues extends Construct {
  /** Events and deliveries that are due within 900 s. */
  readonly delivery: Queue;
  /** Deliveries to destinations that hang, apart so that they never hold every slot. */
  readonly slowLane: Queue;
  /** Ticks that drive probes and releases. */
  readonly control: Queue;
  /** Deliveries that will get no further attempt. */
  readonly deadLetter: Queue;
  /** Messages that could not be processed. */
  readonly fault: Queue;

  constructor(scope: Construct, id: string, { consumerTimeout, sweeperTimeout }: QueuesProps) {
    super(scope, id);
    this.fault = this.queue("Fault", {
      visibilityTimeout: hiddenFor(sweeperTimeout),
      retentionPeriod: longestRetention,
    });
    const work: QueueProps = {
      visibilityTimeout: hiddenFor(consumerTimeout),
      retentionPeriod: workRetention,
      deadLetterQueue: { queue: this.fault, maxReceiveCount: maxReceives },
    };
    this.delivery = this.queue("Delivery", work);
    this.slowLane = this.queue("SlowLane", work);
    this.control = this.queue("Control", { ...work, visibilityTimeout: hiddenFor(sweeperTimeout) });
    this.deadLetter = this.queue("DeadLetter", { retentionPeriod: longestRetention });
    acknowledge(this.deadLetter, "AwsSolutions-SQS3", "It is itself the end: deliveries that died are put here.");
  }

  private queue(id: string, props: QueueProps): Queue {
    return new Queue(this, id, { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true, ...props });
  }
}
