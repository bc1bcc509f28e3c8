import type { StatsView } from "../../../functions/app/admin/view-schemas.js";
import { counted } from "../data/format.js";
import { hrefOf } from "../data/route.js";
import type { Tone } from "../data/words.js";

interface Tile {
  readonly title: string;
  readonly text: string;
  readonly note: string;
  readonly tone: Tone;
  readonly href: string;
}

/** The numbers that an operator looks at first, each leading to what it counts. */
export function Tiles({ stats }: { readonly stats: StatsView }) {
  return (
    <div class="tiles">
      {tilesOf(stats).map(({ title, text, note, tone, href }) => (
        <a key={title} class={`tile ${tone}`} href={href}>
          <span class="title">{title}</span>
          <b>{text}</b>
          <span class="quiet">{note}</span>
        </a>
      ))}
    </div>
  );
}

function tilesOf({ deliveries, faults, queues, window: past }: StatsView): readonly Tile[] {
  const { retrying, parked, deadLettered, deadLetteredLastDay } = deliveries;
  const toneOf = (count: number, tone: Tone): Tone => (count > 0 ? tone : "idle");
  const hour = past?.lastHour;
  return [
    {
      title: "Delivered",
      text: hour === undefined ? "—" : hour.delivered.toLocaleString("en"),
      note: hour === undefined ? "no metrics now" : "in the last hour",
      tone: "good",
      href: hrefOf(["deliveries"], { status: "delivered" }),
    },
    {
      title: "Retrying",
      text: counted(retrying),
      note: retrying.count > 0 ? "due again" : "nothing waits",
      tone: toneOf(retrying.count, "warn"),
      href: hrefOf(["deliveries"], { status: "retry_scheduled" }),
    },
    {
      title: "Parked",
      text: counted(parked),
      note: parked.count > 0 ? "at a closed gate" : "no gate holds any",
      tone: toneOf(parked.count, "warn"),
      href: hrefOf(["deliveries"], { status: "parked" }),
    },
    {
      title: "Dead letters",
      text: counted(deadLettered),
      note: `${counted(deadLetteredLastDay)} in the last day`,
      tone: toneOf(deadLetteredLastDay.count, "bad"),
      href: hrefOf(["deliveries"], { status: "dead_lettered" }),
    },
    {
      title: "Faults",
      text: counted(faults),
      note: faults.count > 0 ? "wait for a redrive" : "none waits",
      tone: toneOf(faults.count, "bad"),
      href: hrefOf(["faults"]),
    },
    {
      title: "In the queues",
      text: (queues.delivery.visible + queues.slowLane.visible).toLocaleString("en"),
      note: `ready; ${(queues.delivery.inFlight + queues.slowLane.inFlight).toLocaleString("en")} taken`,
      tone: "idle",
      href: hrefOf(["deliveries"]),
    },
  ];
}
