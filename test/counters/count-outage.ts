import type { CountingRelay } from "../support/counting-relay.js";
import { aSource } from "./counted-source.js";
import { answered, onlyTick, onlyTurn, passed } from "./turns.js";
import type { Recordings } from "./use-cases.js";

/** Longer than the probe's lease, and so long that the next probe is due, whatever the outage has lasted. */
const leaseSeconds = 190;
const longestCooldownSeconds = 1_080;

/** An outage of some hours, from its first failure until what was parked is delivered, beside a healthy destination. */
export async function countOutage(relay: CountingRelay, hours: number): Promise<Recordings> {
  // Retries that come after everything that is counted.
  const policy = { schedule: { kind: "fixed", baseSeconds: 7 * 86_400 }, jitter: 0 };
  const healthy = await aSource(relay, {});
  const source = await aSource(relay, { policy });
  const fails = () => answered(relay, 503, () => passed(relay, source.event()));
  await passed(relay, healthy.event());
  await fails();
  await fails();
  const failedMore = await fails();
  await fails();
  const opened = await fails();
  const beside = await passed(relay, healthy.event());

  const [, , parkedOpen] = [await fails(), await fails(), await fails()];
  relay.advance(hours * 3_600);
  const probed = await onlyTick(relay);
  const probeFailed = await answered(relay, 503, () => onlyTurn(relay));
  relay.advance(leaseSeconds);
  const replaced = await onlyTick(relay);
  relay.advance(longestCooldownSeconds);
  const probedAgain = await onlyTick(relay);
  const probeDelivered = await onlyTurn(relay);
  const releasedOpen = await onlyTick(relay);
  const deliveredAfter = await onlyTurn(relay);
  await endRelease(relay);
  const outage = { failedMore, opened, parkedOpen, beside, probed, probeFailed, replaced, probedAgain };
  return { ...outage, probeDelivered, releasedOpen, deliveredAfter };
}

/** The two passes of the release, and the tick after the probe's lease, which the release has replaced. */
async function endRelease(relay: CountingRelay): Promise<void> {
  for (const seconds of [1, 30, leaseSeconds]) {
    relay.advance(seconds);
    await onlyTick(relay);
  }
}
