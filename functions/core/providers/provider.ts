import type { AnswerKind, Handshake, ValueRule, Verification } from "../model.js";

/** What a source for one provider is made of, and what its owner has to do at the provider. */
export interface Provider {
  /** In commands, files and page names. */
  readonly name: string;
  /** As the provider writes itself. */
  readonly title: string;
  /** Scheme and options, apart from what the owner has to say; null: the provider signs nothing. */
  readonly verification: Omit<Verification, "onFailure" | "publicUrl" | "topicArn"> | null;
  /** Where the secret is found at the provider; null: there is none. */
  readonly secret: string | null;
  readonly dedupe: ValueRule | null;
  /** Why this rule, or why none. */
  readonly dedupeNote: string;
  readonly eventType: ValueRule | null;
  readonly handshake: Handshake["kind"] | null;
  readonly answer: AnswerKind;
  /** Lower-case names of the headers by which its requests are recognised. */
  readonly headers: readonly string[];
  /** Why the source has to be there before the provider hears of its URL; null: it does not. */
  readonly sourceFirst: string | null;
  /** What to do on the provider's side, in order; `{url}` stands for the source's URL. */
  readonly steps: readonly string[];
  /** What is good to know. */
  readonly notes: readonly string[];
  /** The provider's own page that this was written from. */
  readonly reference: string;
}
