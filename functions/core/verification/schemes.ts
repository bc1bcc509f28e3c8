import type { VerificationScheme } from "../model.js";
import type { Scheme } from "./scheme.js";
import { github } from "./schemes/github.js";
import { gitlab } from "./schemes/gitlab.js";
import { hmac } from "./schemes/hmac.js";
import { hubspot } from "./schemes/hubspot.js";
import { linear } from "./schemes/linear.js";
import { paddle, stripe } from "./schemes/listed-pairs.js";
import { mailgun } from "./schemes/mailgun.js";
import { discord, sendgrid } from "./schemes/public-key.js";
import { shopify } from "./schemes/shopify.js";
import { sns } from "./schemes/sns.js";
import { square } from "./schemes/square.js";
import { standardWebhooks } from "./schemes/standard-webhooks.js";
import { basic, headerToken, iam } from "./schemes/tokens.js";
import { twilio } from "./schemes/twilio.js";
import { slack, zoom } from "./schemes/v0-signature.js";

/** Every way of verification by its name: what the API accepts, the documentation lists and a request is put to. */
export const schemes: Readonly<Record<VerificationScheme, Scheme>> = {
  github,
  stripe,
  shopify,
  slack,
  "standard-webhooks": standardWebhooks,
  twilio,
  paddle,
  square,
  hubspot,
  sendgrid,
  zoom,
  gitlab,
  discord,
  linear,
  mailgun,
  hmac,
  basic,
  "header-token": headerToken,
  sns,
  iam,
};

/** In the order in which they are listed. */
export const schemeNames = Object.keys(schemes) as readonly VerificationScheme[];

/** Null for a name that this version does not know. */
export const schemeOf = (name: string): Scheme | null =>
  Object.hasOwn(schemes, name) ? schemes[name as VerificationScheme] : null;
