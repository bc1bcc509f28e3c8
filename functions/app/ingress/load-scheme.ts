import type { VerificationScheme } from "../../core/model.js";
import type { Scheme } from "../../core/verification/scheme.js";
import { github } from "../../core/verification/schemes/github.js";
import { stripe } from "../../core/verification/schemes/listed-pairs.js";
import { shopify } from "../../core/verification/schemes/shopify.js";
import { standardWebhooks } from "../../core/verification/schemes/standard-webhooks.js";
import { slack } from "../../core/verification/schemes/v0-signature.js";

/** What most sources have. The others are loaded by the first request that needs one: a cold start stays short. */
const common: Readonly<Partial<Record<VerificationScheme, Scheme>>> = {
  github,
  stripe,
  shopify,
  slack,
  "standard-webhooks": standardWebhooks,
};

/** The scheme of this name; null for one that this version does not know. */
export async function loadScheme(name: VerificationScheme): Promise<Scheme | null> {
  const found = Object.hasOwn(common, name) ? common[name] : undefined;
  return found ?? (await import("../../core/verification/schemes.js")).schemeOf(name);
}
