import type { Effect, Model, ModelMessage } from "./delivery-model.js";

/** How far a function came before it died; `end`: it did not die. */
export type DiesAt = "before the write" | "after the write" | "end";

/** Moves the model on by what a message does. */
export function applyEffect(model: Model, message: ModelMessage, effect: Effect, diesAt: DiesAt = "end"): void {
  // A first attempt's message writes before it looks: on a delivery that exists already, that is where it dies.
  const blind = !message.looksFirst && model.delivery !== null;
  const makesAWrite = effect.write !== undefined || blind;
  if (diesAt === "before the write" && makesAWrite) return;
  if (diesAt === "after the write" && blind) return;
  if (effect.write !== undefined) {
    model.claims = Math.max(model.claims, effect.write.claim);
    model.delivery = effect.write;
  }
  if (diesAt === "after the write" && makesAWrite) return;
  follow(model, effect);
  // A request holds its message until it is answered.
  if (effect.acknowledged && effect.follows !== "request") drop(model, message.id);
}

/** What comes after the write. */
export function follow(model: Model, { follows }: Pick<Effect, "follows">): void {
  const { delivery } = model;
  if (delivery === null || follows === "nothing") return;
  if (follows === "request") model.requests.push({ attempt: delivery.started, claim: delivery.claim });
  if (follows === "dead_letter") model.deadLetters++;
  if (follows === "successor") announceAttempt(model, delivery.started + 1);
}

/** A message for an attempt appears in the queue; its id comes from the relay. */
export function announceAttempt(model: Model, attempt: number): void {
  model.messages.push({ id: "", attempt, looksFirst: true, repair: false });
}

export function drop(model: Model, id: string): void {
  model.messages = model.messages.filter((message) => message.id !== id);
}
