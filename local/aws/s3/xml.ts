/** The little XML that S3 speaks. */

export type XmlValue = string | number | boolean | undefined | XmlElements | readonly XmlElements[];
/** Element name → text, nested elements, or a list of elements that repeat under the name. */
export interface XmlElements {
  readonly [name: string]: XmlValue;
}

const namespace = "http://s3.amazonaws.com/doc/2006-03-01/";

export function xmlDocument(root: string, content: XmlElements, withNamespace = true): string {
  const attribute = withNamespace ? ` xmlns="${namespace}"` : "";
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${attribute}>${inner(content)}</${root}>`;
}

function inner(elements: XmlElements): string {
  return Object.entries(elements)
    .map(([name, value]) => element(name, value))
    .join("");
}

function element(name: string, value: XmlValue): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return value.map((item: XmlElements) => element(name, item)).join("");
  const text = typeof value === "object" ? inner(value as XmlElements) : escapeText(String(value));
  return `<${name}>${text}</${name}>`;
}

/** Carriage return and other control characters as references: a parser would change or refuse them. */
function escapeText(text: string): string {
  return text.replace(/[&<>"\p{Cc}]/gu, (character) => `&#${character.codePointAt(0)};`);
}

const namedEntities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

export function unescapeText(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return namedEntities[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** Texts of every `<name>` that holds text only, in order. */
export function textsOf(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map((match) => unescapeText(match[1] ?? ""));
}
