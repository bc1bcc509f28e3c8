import type { QueueUrls, SqsQueues } from "../adapters/aws/queues.js";
import type { ControlQueue, DeadLetterQueue, DeliveryQueue, FaultQueue } from "../app/ports.js";

type Queues = DeliveryQueue & ControlQueue & DeadLetterQueue & FaultQueue;

/** The queues of the delivery function. An event that is delivered at once sends nothing: the SDK waits for who does. */
export class LazyQueues implements Queues {
  constructor(private readonly urls: QueueUrls) {}

  async sendDeliveries(...sent: Parameters<Queues["sendDeliveries"]>): Promise<void> {
    await (await this.load()).sendDeliveries(...sent);
  }

  async returnAfter(...returned: Parameters<Queues["returnAfter"]>): Promise<void> {
    await (await this.load()).returnAfter(...returned);
  }

  async sendTick(...sent: Parameters<Queues["sendTick"]>): Promise<void> {
    await (await this.load()).sendTick(...sent);
  }

  async sendDeadLetter(...sent: Parameters<Queues["sendDeadLetter"]>): Promise<void> {
    await (await this.load()).sendDeadLetter(...sent);
  }

  async sendFault(...sent: Parameters<Queues["sendFault"]>): Promise<void> {
    await (await this.load()).sendFault(...sent);
  }

  private async load(): Promise<SqsQueues> {
    const { queuesAt } = await import("./queues.js");
    return queuesAt(this.urls);
  }
}
