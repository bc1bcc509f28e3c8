/** One thing that was looked at, in the order of the walk. A request is verified when every step of it is `ok`. */
export interface ExplanationStep {
  /** What was looked at, e.g. `header x-hub-signature-256`, `timestamp`, `signature`. */
  readonly step: string;
  readonly ok: boolean;
  /** What was found, as a sentence for the operator; never a secret, a credential or the right signature. */
  readonly detail: string;
}

/** What a walk found, step by step: the one source of both the verdict and its explanation. */
export class Trace {
  readonly steps: ExplanationStep[] = [];
  #refusal: string | null = null;

  /** Why the request is refused: the reason of the first step that failed; null while none has. */
  get refusal(): string | null {
    return this.#refusal;
  }

  pass(step: string, detail: string): void {
    this.steps.push({ step, ok: true, detail });
  }

  /** Null, so that a reader that found nothing can end with it. The reason is a short text for the log. */
  fail(step: string, detail: string, reason: string): null {
    this.steps.push({ step, ok: false, detail });
    this.#refusal ??= reason;
    return null;
  }
}
