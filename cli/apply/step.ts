import type { FieldChange } from "./difference.js";

/** What a step is about. */
export interface Subject {
  readonly kind: "source" | "subscription";
  /** `github`, or `github/builds`. */
  readonly name: string;
  /** Where it stands in the file; null: it does not. */
  readonly path: string | null;
}

/** One write that makes the relay more like the file. */
export interface Step extends Subject {
  readonly action: "create" | "change" | "delete";
  /** Of an object that is there already; secrets without their values. */
  readonly changes: readonly FieldChange[];
  readonly request: {
    readonly method: "POST" | "PUT" | "DELETE";
    readonly path: string;
    /** May hold secrets: never shown. */
    readonly body?: unknown;
    /** The version that the difference was made from. */
    readonly ifMatch?: number;
  };
}

/** What the comparison of some objects came to. */
export interface Findings {
  /** In the order in which they can be done. */
  readonly steps: readonly Step[];
  readonly unchanged: number;
  /** What the file's owner made, is no longer in the file, and stays; with why. */
  readonly kept: readonly (Subject & { readonly why: string })[];
  /** What the file names and somebody else keeps. */
  readonly foreign: readonly (Subject & { readonly owner: string })[];
}

export const nothing: Findings = { steps: [], unchanged: 0, kept: [], foreign: [] };

export const merged = (all: readonly Findings[]): Findings => ({
  steps: all.flatMap(({ steps }) => steps),
  unchanged: all.reduce((sum, { unchanged }) => sum + unchanged, 0),
  kept: all.flatMap(({ kept }) => kept),
  foreign: all.flatMap(({ foreign }) => foreign),
});

export const creation = (subject: Subject, path: string, body: unknown): Findings => ({
  ...nothing,
  steps: [{ ...subject, action: "create", changes: [], request: { method: "POST", path, body } }],
});

export const deletion = (subject: Subject, path: string, ifMatch: number): Findings => ({
  ...nothing,
  steps: [{ ...subject, action: "delete", changes: [], request: { method: "DELETE", path, ifMatch } }],
});

/** No step where nothing differs. */
export const change = (subject: Subject, changes: readonly FieldChange[], request: Step["request"]): Findings =>
  changes.length === 0
    ? { ...nothing, unchanged: 1 }
    : { ...nothing, steps: [{ ...subject, action: "change", changes, request }] };
