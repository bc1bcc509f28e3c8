/** Shorter secrets are words, which requests hold anyway. */
const leastSecretLength = 8;

/** A URL inside of a URL inside of a URL: each one escapes what was escaped. */
const mostDecodings = 3;

/** What stands in the place of a text that holds a secret. */
const masked = "***";

/**
 * Secrets as they may stand in a request outside its body: as they are, without the scheme's name before them, in
 * base64, and any of that percent-encoded. One shorter than 8 characters is found nowhere.
 */
export class SecretsInText {
  private readonly spellings: readonly string[];

  constructor(secrets: readonly string[]) {
    const parts = secrets.flatMap(partsOf).filter((part) => part.length >= leastSecretLength);
    this.spellings = [...new Set(parts.flatMap(spellingsOf))];
  }

  /** True when a text holds one of the secrets. */
  isIn(text: string): boolean {
    if (this.spellings.length === 0) return false;
    return readings(text).some((reading) => this.spellings.some((spelling) => reading.includes(spelling)));
  }

  /** A query with `***` for each name and each value that holds a secret. */
  maskedQuery(query: string): string {
    return this.maskParts(query, /([&=])/, masked);
  }

  /** A path, empty or from a slash on, with `***` for each segment that holds a secret. */
  maskedPath(path: string): string {
    return this.maskParts(path, /(\/)/, `/${masked}`);
  }

  /** `whole`: what is left where the secret has a separator in it. */
  private maskParts(text: string, separator: RegExp, whole: string): string {
    if (text === "" || !this.isIn(text)) return text;
    const parts = text.split(separator).map((part) => (this.isIn(part) ? masked : part));
    return this.isIn(parts.join("")) ? whole : parts.join("");
  }
}

/** A secret, and what it is without the name of a scheme before it: `Bearer …`, `whsec_…`. */
const partsOf = (secret: string): readonly string[] => [secret, secret.replace(/^(?:whsec_|[a-z]+ +)/i, "")];

/** Beyond ASCII a header has its bytes as one character each. Base64 may have lost its padding. */
function spellingsOf(part: string): readonly string[] {
  const bytes = Buffer.from(part);
  return [part, bytes.toString("latin1"), bytes.toString("base64").replace(/=+$/, ""), bytes.toString("base64url")];
}

/** What a text may have been before it was put into a URL, or into basic authentication. */
function readings(text: string): readonly string[] {
  const found = [text];
  for (let last = text; last.includes("%") && found.length <= mostDecodings; found.push(last)) last = unescaped(last);
  const [, credentials] = /^basic +(\S+)/i.exec(text) ?? [];
  if (credentials !== undefined) found.push(Buffer.from(credentials, "base64").toString());
  return text.includes("+") ? [...found, ...found.map((each) => each.replaceAll("+", " "))] : found;
}

/** Byte by byte: what is no UTF-8 is decoded too. */
const unescaped = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
