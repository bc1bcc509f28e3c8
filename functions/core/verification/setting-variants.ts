import { headerValue } from "../header-list.js";
import type { SecretEncoding, Verification } from "../model.js";
import type { OpenSecret, VerifiableRequest } from "./scheme.js";
import { schemeOf } from "./schemes.js";

/** The same request under other settings of the source. */
export interface SettingVariant {
  /** After "it verifies", e.g. `with secretEncoding hex`. */
  readonly what: string;
  readonly verification: Verification;
  readonly secrets: readonly OpenSecret[];
  readonly request: VerifiableRequest;
}

type Setting = Pick<SettingVariant, "verification" | "secrets" | "request">;

/** Settings that are easily got wrong: how a key is written, a secret's prefix, and the URL that is signed. */
export function settingVariants(given: Setting): readonly SettingVariant[] {
  return [...encodings(given), ...prefixes(given), ...urls(given)];
}

const allEncodings: readonly SecretEncoding[] = ["utf8", "base64", "base64url", "hex"];

function encodings(given: Setting): SettingVariant[] {
  const { verification } = given;
  if (!allows(verification, "secretEncoding")) return [];
  return allEncodings
    .filter((each) => each !== verification.secretEncoding)
    .map((secretEncoding) => ({
      ...given,
      what: `with secretEncoding ${secretEncoding}`,
      verification: { ...verification, secretEncoding },
    }));
}

function prefixes(given: Setting): SettingVariant[] {
  const changed = (what: string, change: (value: string) => string): SettingVariant => ({
    ...given,
    what,
    secrets: given.secrets.map(({ id, value }) => ({ id, value: change(value) })),
  });
  return [
    changed("with the white space around the secret removed", (value) => value.trim()),
    changed("with whsec_ before the secret: it is part of it", (value) => `whsec_${value}`),
    changed("without whsec_ before the secret", (value) => value.replace(/^whsec_/, "")),
  ];
}

/** The Host header is the sender's to choose: it is good for a hint, and for nothing else. */
function urls(given: Setting): SettingVariant[] {
  const { verification, request } = given;
  const { publicUrl } = verification;
  if (publicUrl === undefined || !URL.canParse(publicUrl)) return [];
  const host = headerValue(request.headers, "x-forwarded-host") ?? headerValue(request.headers, "host");
  const path = new URL(publicUrl).pathname;
  const candidates = [
    publicUrl.endsWith("/") ? publicUrl.slice(0, -1) : `${publicUrl}/`,
    ...(host === null ? [] : [`https://${host}${path}`]),
  ];
  const changed = candidates.map((url) => ({
    ...given,
    what: `with publicUrl ${url}: that is what the provider has`,
    verification: { ...verification, publicUrl: url },
  }));
  const bare = {
    ...given,
    what: "without the query: the provider has none in its URL",
    request: { ...request, query: "" },
  };
  return request.query === "" ? changed : [...changed, bare];
}

const allows = ({ scheme }: Verification, option: "secretEncoding"): boolean =>
  schemeOf(scheme)?.allows.includes(option) ?? false;
