import { randomUUID } from "node:crypto";
import { resourceOf } from "../arns.js";
import { AwsError } from "../aws-error.js";
import type { LocalClock } from "../clock.js";
import type { MessageState } from "./message.js";
import type { Sqs } from "./sqs.js";

/** Messages that one step of an unpaced task moves. */
const stepSize = 100;
/** SQS remembers this many tasks of a source. */
const rememberedTasks = 10;

interface MoveTask {
  readonly handle: string;
  readonly sourceArn: string;
  readonly destinationArn: string | null;
  readonly perSecond: number | null;
  readonly startedAtMs: number;
  readonly toMove: number;
  status: "RUNNING" | "COMPLETED" | "CANCELLED" | "FAILED";
  moved: number;
  failureReason?: string;
}

/** Redrives of dead-letter queues (StartMessageMoveTask). A task does not outlive the process; what it has not moved stays. */
export class MoveTasks {
  #tasks: MoveTask[] = [];

  constructor(
    private readonly sqs: Sqs,
    private readonly clock: LocalClock,
  ) {}

  /** Starts and answers the task's handle. `perSecond` null: as fast as possible. */
  start(sourceArn: string, destinationArn: string | null, perSecond: number | null): string {
    const source = this.#queueName(sourceArn);
    if (destinationArn !== null) this.#queueName(destinationArn);
    if (!this.sqs.list().some((queue) => queue.settings.redrivePolicy?.deadLetterTargetArn === sourceArn)) {
      throw unsupported("Source queue must be configured as a Dead Letter Queue.");
    }
    if (this.#tasks.some((task) => task.sourceArn === sourceArn && task.status === "RUNNING")) {
      throw unsupported(
        "There is already a task running. Only one active task is allowed for a source queue arn at a given time.",
      );
    }
    const task: MoveTask = {
      handle: Buffer.from(JSON.stringify({ taskId: randomUUID(), sourceArn })).toString("base64"),
      sourceArn,
      destinationArn,
      perSecond,
      startedAtMs: this.clock.now(),
      toMove: this.sqs.queue(source).counts().visible,
      status: "RUNNING",
      moved: 0,
    };
    this.#tasks.unshift(task);
    this.#forgetOld(sourceArn);
    void this.#run(task, source);
    return task.handle;
  }

  list(sourceArn: string, limit: number): object[] {
    this.#queueName(sourceArn);
    return this.#tasks
      .filter((task) => task.sourceArn === sourceArn)
      .slice(0, limit)
      .map((task) => ({
        TaskHandle: task.status === "RUNNING" ? task.handle : undefined,
        Status: task.status,
        SourceArn: task.sourceArn,
        DestinationArn: task.destinationArn ?? undefined,
        MaxNumberOfMessagesPerSecond: task.perSecond ?? undefined,
        ApproximateNumberOfMessagesMoved: task.moved,
        ApproximateNumberOfMessagesToMove: task.toMove,
        FailureReason: task.failureReason,
        StartedTimestamp: task.startedAtMs,
      }));
  }

  /** Answers how many messages it had moved. */
  cancel(handle: string): number {
    const task = this.#tasks.find((candidate) => candidate.handle === handle && candidate.status === "RUNNING");
    if (task === undefined) throw notFound("Task does not exist.");
    task.status = "CANCELLED";
    return task.moved;
  }

  async #run(task: MoveTask, source: string): Promise<void> {
    try {
      while (task.status === "RUNNING" && task.moved < task.toMove) {
        const moved = await this.sqs.moveVisible(
          source,
          Math.min(task.perSecond ?? stepSize, task.toMove - task.moved),
          (message) => this.#target(task, message),
        );
        task.moved += moved;
        if (moved === 0) break;
        if (task.perSecond !== null && task.moved < task.toMove) await this.#pause(1000);
      }
      if (task.status === "RUNNING") task.status = "COMPLETED";
    } catch (error) {
      // A task has nobody to throw to: its failure is what ListMessageMoveTasks shows.
      task.status = "FAILED";
      task.failureReason = error instanceof Error ? error.message : String(error);
    }
  }

  #target(task: MoveTask, message: MessageState): string {
    const arn = task.destinationArn ?? message.sourceArn;
    if (arn === null) throw unsupported("CouldNotDetermineMessageSource");
    return this.#queueName(arn);
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.clock.at(this.clock.now() + milliseconds, resolve));
  }

  #queueName(arn: string): string {
    const name = resourceOf(arn, "sqs");
    if (name === null || !this.sqs.list().some((queue) => queue.name === name)) {
      throw notFound("The resource that you specified for the ARN doesn't exist.");
    }
    return name;
  }

  #forgetOld(sourceArn: string): void {
    const old = this.#tasks.filter((task) => task.sourceArn === sourceArn).slice(rememberedTasks);
    this.#tasks = this.#tasks.filter((task) => !old.includes(task));
  }
}

const notFound = (message: string): AwsError => new AwsError("ResourceNotFoundException", message, { statusCode: 404 });
const unsupported = (message: string): AwsError =>
  new AwsError("UnsupportedOperation", message, { queryCode: "AWS.SimpleQueueService.UnsupportedOperation" });
