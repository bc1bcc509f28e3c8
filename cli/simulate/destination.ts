import { classifyError, classifyStatus } from "../../functions/core/classify.js";
import type { Outcome, RetryPolicy } from "../../functions/core/model.js";
import { isDown, type Scenario } from "./scenario.js";
import { Timeline } from "./timeline.js";

/** How long a request takes that is answered, or refused. */
const answerMs = 100;
/** How long one hangs: the default of `timeouts.readSeconds`. */
const hangMs = 60_000;

export interface Answer {
  readonly outcome: Outcome;
  readonly afterMs: number;
}

/** The destination: down during the outage, else it takes its capacity in each second and answers 503 above it. */
export class Destination {
  readonly timeline = new Timeline();
  private readonly taken: Answer = { outcome: "delivered", afterMs: answerMs };
  private readonly overloaded: Answer;
  private readonly dead: Answer;
  private second = -1;
  private takenInSecond = 0;

  constructor(
    private readonly scenario: Scenario,
    policy: RetryPolicy,
  ) {
    const { failure } = scenario;
    this.overloaded = { outcome: classifyStatus(policy, 503), afterMs: answerMs };
    if (failure === "hang") this.dead = { outcome: classifyError("read_timeout"), afterMs: hangMs };
    else if (failure === "refused") this.dead = { outcome: classifyError("refused"), afterMs: answerMs };
    else this.dead = { outcome: classifyStatus(policy, Number(failure)), afterMs: answerMs };
  }

  /** Requests come in the order of time. */
  request(atMs: number): Answer {
    const second = Math.floor(atMs / 1000);
    if (second !== this.second) {
      this.second = second;
      this.takenInSecond = 0;
    }
    const answer = this.answerTo(second);
    this.timeline.note(second, 1, answer === this.taken ? 0 : 1);
    return answer;
  }

  private answerTo(second: number): Answer {
    if (isDown(this.scenario, second)) return this.dead;
    if (this.takenInSecond >= this.scenario.capacityPerSecond) return this.overloaded;
    this.takenInSecond += 1;
    return this.taken;
  }
}
