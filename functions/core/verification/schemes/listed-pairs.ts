import { trimOptionalSpace } from "../../header-list.js";
import { matchHmac, signed } from "../match.js";
import { decodeSignatures, digestBytes, readHeader } from "../read-signature.js";
import type { Scheme, Walk } from "../scheme.js";
import { textSecretProblem } from "../secret-form.js";
import { readTime } from "../signed-time.js";

/** How a header lists its time and its signatures, and what they cover. */
interface Listing {
  readonly header: string;
  readonly separator: string;
  readonly time: string;
  /** Name of the signatures that count; all others are ignored, older and weaker ones among them. */
  readonly signature: string;
  /** What stands between time and body. */
  readonly between: string;
}

/** One header `t=1,v1=<hex>,v1=<hex>`: the time exactly once, any signature of the right name is enough. */
function listedPairs({ header, separator, time, signature, between }: Listing): Scheme["check"] {
  return (walk) => {
    const value = readHeader(walk, header);
    if (value === null) return null;
    const pairs = value.split(separator).map(readPair);
    const valuesOf = (name: string) => pairs.filter(([key]) => key === name).map(([, each]) => each);
    const stamp = readStamp(walk, valuesOf(time), time);
    const digests = decodeSignatures(walk, valuesOf(signature), "hex", digestBytes.sha256, `${signature} digest`);
    if (stamp === null || digests === null) return null;
    const content = signed(`{timestamp}${between}{body}`, `${stamp}${between}`, walk.request.body);
    return matchHmac(walk, "sha256", digests, content);
  };
}

function readPair(text: string): readonly [name: string, value: string] {
  const [name = "", ...rest] = trimOptionalSpace(text).split("=");
  return [name, rest.join("=")];
}

function readStamp(walk: Walk, stamps: readonly string[], name: string): string | null {
  const [stamp] = stamps;
  if (stamp !== undefined && stamps.length === 1) return readTime(walk, stamp, "seconds");
  return walk.trace.fail(
    "timestamp",
    `${name}= is listed ${stamps.length} times, not once`,
    "not exactly one timestamp",
  );
}

const common = {
  defaultToleranceSeconds: 300,
  requires: [],
  allows: ["toleranceSeconds"],
  secretProblem: textSecretProblem,
} as const;

/** Source: Stripe's "Verify webhook signatures manually"; the secret's text is the key, `whsec_` included. */
export const stripe: Scheme = {
  ...common,
  summary: "HMAC-SHA256 of {timestamp}.{body}, hex, as v1 in Stripe-Signature",
  secret: "the endpoint's signing secret (whsec_…)",
  check: listedPairs({ header: "stripe-signature", separator: ",", time: "t", signature: "v1", between: "." }),
};

/** Source: Paddle's "Verify webhook signatures"; several `h1` while a secret rotates. */
export const paddle: Scheme = {
  ...common,
  summary: "HMAC-SHA256 of {timestamp}:{body}, hex, as h1 in Paddle-Signature",
  secret: "the notification destination's secret key (pdl_ntfset_…)",
  check: listedPairs({ header: "paddle-signature", separator: ";", time: "ts", signature: "h1", between: ":" }),
};
