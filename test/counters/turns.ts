import type { Recording } from "../support/counting-recorder.js";
import type { CountingRelay } from "../support/counting-relay.js";
import type { Answer } from "../support/destination.js";
import type { HttpApiRequest } from "../support/http-api-event.js";

/** Invocations that are counted, one at a time. */

/** Accepts an event and takes its message through the delivery function. */
export async function passed(relay: CountingRelay, request: HttpApiRequest): Promise<Recording> {
  await relay.accept(request);
  return onlyTurn(relay);
}

/** One invocation, which must get exactly so many messages: others would be counted along. */
export async function onlyTurn(relay: CountingRelay, messages = 1, deliver = relay.deliver): Promise<Recording> {
  const { recording, received } = await deliver();
  if (received !== messages) throw new Error(`${received} messages on the queue, not ${messages}`);
  return recording;
}

export async function onlyTick(relay: CountingRelay): Promise<Recording> {
  const { recording, received } = await relay.tick();
  if (received !== 1) throw new Error(`${received} ticks on the control queue, not 1`);
  return recording;
}

/** With another answer of the destination than 200. */
export async function answered(
  relay: CountingRelay,
  answer: Answer,
  work: () => Promise<Recording>,
): Promise<Recording> {
  relay.destination.answer(answer);
  const recording = await work();
  relay.destination.answer(200);
  return recording;
}
