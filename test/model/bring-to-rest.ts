import type { RelayUnderTest } from "./relay-under-test.js";

const minuteMs = 60_000;
/** More than the longest step of the sweeper, and than the longest wait of a delivery that is parked. */
const longestDays = 40;

/**
 * Leaves the relay to itself with a healthy destination: every function that runs dies, the gate opens, and then only
 * time passes, the sweeper comes, and what is in the queue is received.
 */
export async function bringToRest(real: RelayUnderTest): Promise<void> {
  real.waiting.splice(0);
  real.setGate("active");
  await real.release();
  const endMs = real.now + longestDays * 86_400_000;
  for (let stepMs = 5 * minuteMs; real.now < endMs; stepMs = Math.min(stepMs * 2, 12 * 60 * minuteMs)) {
    await real.sweep();
    for (const message of [...real.messages]) {
      await real.receive(message);
      while (real.waiting.length > 0) await real.answer(0, 200);
    }
    const delivery = await real.delivery();
    if (real.messages.length === 0 && (delivery?.status === "delivered" || delivery?.status === "dead_lettered"))
      return;
    real.relay.clock.set(real.now + stepMs);
  }
}
