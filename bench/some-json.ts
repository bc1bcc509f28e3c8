import { randomBytes } from "node:crypto";

/** JSON of about this size in which half of the text repeats itself, as in what providers send. */
export function someJson(bytes: number): Buffer {
  const items: unknown[] = [];
  for (let written = 0; written < bytes; written += 96) {
    items.push({
      object: "line_item",
      id: randomBytes(12).toString("hex"),
      amount: written,
      currency: "eur",
      paid: true,
    });
  }
  return Buffer.from(
    JSON.stringify({ type: "invoice.paid", data: items })
      .slice(0, bytes - 1)
      .concat(" "),
  );
}
