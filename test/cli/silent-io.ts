import type { Io, Output } from "../../cli/io.js";

const nowhere: Output = { write: () => {}, isTTY: false, columns: undefined };

/** Prints nothing, has nothing to read, and is never interrupted. */
export const silentIo = (overrides: Partial<Io> = {}): Io => ({
  env: {},
  stdout: nowhere,
  stderr: nowhere,
  stdin: { isTTY: false, read: () => Promise.resolve(Buffer.alloc(0)), ask: () => Promise.resolve("") },
  pause: () => Promise.resolve(false),
  interruption: () => new AbortController().signal,
  now: () => 0,
  version: "0.0.0",
  ...overrides,
});
