import { createHash } from "node:crypto";
import { refusal } from "./problem.js";

/**
 * Cursors: where a list goes on, together with a fingerprint of what was asked, so that a cursor of one list is not
 * taken for a place in another. Opaque to callers; nothing in them is secret or trusted.
 */

export function encodeCursor(list: unknown, after: string | null): string | null {
  if (after === null) return null;
  return Buffer.from(JSON.stringify([fingerprint(list), after])).toString("base64url");
}

/** Null: from the start. Throws the 400 of a cursor that this list did not give. */
export function decodeCursor(list: unknown, cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const [mark, after] = parts(cursor);
  if (mark === fingerprint(list) && typeof after === "string") return after;
  throw refusal(400, "invalid_cursor", "The cursor is not one of this list: leave it out to start again.");
}

function parts(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

const fingerprint = (list: unknown): string =>
  createHash("sha256").update(JSON.stringify(list)).digest("base64url").slice(0, 8);
