/** `3 already replayed, 1 erased`; null: none. */
export function skippedText(skipped: Readonly<Record<string, number>>): string | null {
  const parts = Object.entries(skipped).map(([reason, count]) => `${count} ${reason.replaceAll("_", " ")}`);
  return parts.length === 0 ? null : parts.join(", ");
}
