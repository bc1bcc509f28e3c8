import type { Command } from "commander";
import type { StatsView } from "../../functions/app/admin/view-schemas.js";
import type { Io } from "../io.js";
import { describeCommand, run } from "../program.js";
import type { Session } from "../session.js";
import { bothTimes } from "../text.js";

/** `steadyhook stats`: what is open, parked and dead, what the last hour came to, and what waits in the queues. */
export function addStats(root: Command, io: Io): void {
  run(
    io,
    describeCommand(root.command("stats"), "Count what is open, and what waits in the queues.", [["stats"]]),
    stats,
  );
}

async function stats(session: Session): Promise<void> {
  const found = await (await session.relay()).call<StatsView>("GET", "/stats");
  session.result(found, () => {
    const { deliveries } = found;
    session.fields([
      ["as of", bothTimes(found.asOf, session.nowMs)],
      ["retrying", countText(deliveries.retrying)],
      ["parked", countText(deliveries.parked)],
      [
        "dead-lettered",
        `${countText(deliveries.deadLettered)} (last 24 h: ${countText(deliveries.deadLetteredLastDay)})`,
      ],
      ["faults", countText(found.faults)],
    ]);
    if (found.window) showWindow(session, found.window);
    session.line();
    session.table(Object.entries(found.queues), [
      { title: "QUEUE", value: ([name]) => queueNames[name] ?? name },
      { title: "READY", value: ([, queue]) => String(queue.visible) },
      { title: "DELAYED", value: ([, queue]) => String(queue.delayed) },
      { title: "IN FLIGHT", value: ([, queue]) => String(queue.inFlight) },
    ]);
  });
}

/** What the last hour and the last day came to. A relay of an earlier version tells nothing of it. */
function showWindow(session: Session, { lastHour, lastDay }: NonNullable<StatsView["window"]>): void {
  const row = (title: string, name: keyof typeof lastHour) => [title, lastHour[name], lastDay[name]] as const;
  session.line();
  session.table(
    [
      row("accepted", "accepted"),
      row("refused", "refused"),
      row("attempts", "attempts"),
      row("delivered", "delivered"),
      row("retried", "retried"),
      row("reached the last attempt", "lastAttemptReached"),
      row("dead-lettered", "deadLettered"),
      row("parked", "parked"),
      row("circuits opened", "circuitOpened"),
      row("faults", "faults"),
      ["retry rate", percent(lastHour.retryRate), percent(lastDay.retryRate)] as const,
    ],
    [
      { title: "COUNTED", value: ([title]) => title },
      { title: "LAST HOUR", value: ([, hour]) => String(hour) },
      { title: "LAST 24 H", value: ([, , day]) => String(day) },
    ],
  );
}

const percent = (rate: number | null): string => (rate === null ? "–" : `${Math.round(rate * 1000) / 10} %`);

const queueNames: Readonly<Record<string, string>> = { slowLane: "slow lane", deadLetter: "dead letter" };

const countText = ({ count, atLeast }: StatsView["deliveries"]["parked"]): string =>
  atLeast ? `at least ${count}` : String(count);
