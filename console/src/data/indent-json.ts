const indentation = "  ";

/**
 * JSON with line breaks and indentation, every value exactly as it was written: parsing and writing again would round
 * long numbers and drop repeated names. Null: it is no JSON.
 */
export function indentJson(text: string): string | null {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  let depth = 0;
  const newLine = (): string => `\n${indentation.repeat(depth)}`;
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g) ?? [];
  return tokens
    .map((token, index) => {
      const opens = token === "{" || token === "[";
      const closes = token === "}" || token === "]";
      const isEmpty = closes && /^[[{]$/.test(tokens[index - 1] ?? "");
      if (opens) depth += 1;
      if (closes) depth -= 1;
      if (opens) return /^[\]}]$/.test(tokens[index + 1] ?? "") ? token : token + newLine();
      if (closes) return isEmpty ? token : newLine() + token;
      if (token === ",") return token + newLine();
      return token === ":" ? ": " : token;
    })
    .join("");
}
