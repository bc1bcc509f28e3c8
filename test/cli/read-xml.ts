/** An element of an XML document, its text that of itself alone. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

const name = "[A-Za-z_][\\w.-]*";
const attribute = `\\s+(${name})="([^"<]*)"`;
const token = new RegExp(`<(${name})((?:${attribute})*)\\s*(/?)>|</(${name})>|([^<]+)`, "y");
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/**
 * Reads the XML that this project writes: elements, attributes and text with the five entities, no more. Throws where it
 * is not well-formed.
 */
export function readXml(document: string): XmlElement {
  const root = { name: "", attributes: {}, children: [] as XmlElement[], text: "" };
  const open = [root];
  token.lastIndex = 0;
  const source = document.trim();
  while (token.lastIndex < source.length) {
    const at = token.lastIndex;
    const match = token.exec(source);
    if (match === null) throw new Error(`not well-formed at ${at}: ${source.slice(at, at + 40)}`);
    const [, begins, attributes = "", , , ends, closes, text] = match;
    const parent = open.at(-1) ?? root;
    if (begins !== undefined) {
      const element = { name: begins, attributes: attributesOf(attributes), children: [], text: "" };
      parent.children.push(element);
      if (ends !== "/") open.push(element);
    } else if (closes !== undefined) {
      if (open.length < 2 || open.pop()?.name !== closes) throw new Error(`</${closes}> closes nothing`);
    } else {
      parent.text += decoded(text ?? "");
    }
  }
  const [only, ...more] = root.children;
  if (open.length !== 1 || only === undefined || more.length > 0 || root.text.trim() !== "") {
    throw new Error("not one element that is closed");
  }
  return only;
}

function attributesOf(text: string): Readonly<Record<string, string>> {
  const pairs = [...text.matchAll(new RegExp(attribute, "g"))].map(
    ([, key = "", value = ""]) => [key, decoded(value)] as const,
  );
  if (new Set(pairs.map(([key]) => key)).size < pairs.length) throw new Error(`an attribute stands twice:${text}`);
  return Object.fromEntries(pairs);
}

const decoded = (text: string): string =>
  text.replaceAll(/&(\w*);?/g, (reference, entity: string) => {
    const character = reference.endsWith(";") ? entities[entity] : undefined;
    if (character === undefined) throw new Error(`no entity: ${reference}`);
    return character;
  });
