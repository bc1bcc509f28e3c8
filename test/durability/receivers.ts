import { type Answer, type Destination, type ReceivedRequest, startDestination } from "../support/destination.js";

/** How the destinations behave, by the path that their subscriptions post to, and how their deliveries must end. */
export const behaviours = {
  /** Takes everything at once. */
  fast: "delivered",
  /** Takes a while to answer. */
  slow: "delivered",
  /** Refuses each delivery's first attempt. */
  "fails-once": "delivered",
  /** Leaves each delivery's first attempt without an answer. */
  hangs: "delivered",
  /** Says that the event is no good. */
  refuses: "dead_lettered",
  /** Never works: its deliveries are exhausted. */
  broken: "dead_lettered",
} as const;

export type Behaviour = keyof typeof behaviours;

const slowAnswerMs = 300;

/** One server for all of them. */
export const startReceivers = (): Promise<Destination> => startDestination((request) => answerTo(request));

function answerTo(request: ReceivedRequest): Answer {
  const behaviour = request.target.split(/[/?]/)[1] as Behaviour;
  const first = request.headers["steadyhook-attempt"] === "1";
  switch (behaviour) {
    case "slow":
      return { respond: (response) => void setTimeout(() => response.writeHead(200).end("late"), slowAnswerMs) };
    case "fails-once":
      return first ? 503 : 200;
    case "hangs":
      return first ? "hang" : 200;
    case "refuses":
      return 422;
    case "broken":
      return 500;
    default:
      return 200;
  }
}
