import { bitbucket } from "./providers/bitbucket.js";
import { clerk } from "./providers/clerk.js";
import { discord } from "./providers/discord.js";
import { docusign } from "./providers/docusign.js";
import { dropbox } from "./providers/dropbox.js";
import { github } from "./providers/github.js";
import { gitlab } from "./providers/gitlab.js";
import { hubspot } from "./providers/hubspot.js";
import { linear } from "./providers/linear.js";
import { mailgun } from "./providers/mailgun.js";
import { meta } from "./providers/meta.js";
import { microsoftGraph } from "./providers/microsoft-graph.js";
import { paddle } from "./providers/paddle.js";
import type { Provider } from "./providers/provider.js";
import { resend } from "./providers/resend.js";
import { sendgrid } from "./providers/sendgrid.js";
import { shopify } from "./providers/shopify.js";
import { slack } from "./providers/slack.js";
import { sns } from "./providers/sns.js";
import { square } from "./providers/square.js";
import { standardWebhooks } from "./providers/standard-webhooks.js";
import { stripe } from "./providers/stripe.js";
import { svix } from "./providers/svix.js";
import { twilio } from "./providers/twilio.js";
import { twitch } from "./providers/twitch.js";
import { typeform } from "./providers/typeform.js";
import { vercel } from "./providers/vercel.js";
import { zendesk } from "./providers/zendesk.js";
import { zoom } from "./providers/zoom.js";
import { schemeOf } from "./verification/schemes.js";

/** Every provider that there is a preset for, by name. */
export const providers: readonly Provider[] = [
  bitbucket,
  clerk,
  discord,
  docusign,
  dropbox,
  github,
  gitlab,
  hubspot,
  linear,
  mailgun,
  meta,
  microsoftGraph,
  paddle,
  resend,
  sendgrid,
  shopify,
  slack,
  sns,
  square,
  standardWebhooks,
  stripe,
  svix,
  twilio,
  twitch,
  typeform,
  vercel,
  zendesk,
  zoom,
];

export const providerNames: readonly string[] = providers.map(({ name }) => name);

/** Null for a name that there is no preset for. */
export const providerOf = (name: string): Provider | null => providers.find((each) => each.name === name) ?? null;

/** Whether its signature covers the URL, so that the source has to know it. */
export const signsUrl = ({ verification }: Provider): boolean =>
  verification !== null && (schemeOf(verification.scheme)?.requires.includes("publicUrl") ?? false);

type Fields = Readonly<Record<string, unknown>>;

/**
 * A source's document with what the preset says laid under it: what is given wins, null included. A verification of
 * another scheme than the preset's is taken as it is; a handshake of another kind too.
 */
export function withProvider(provider: Provider, given: Fields): Fields {
  const { verification, handshake, answer, dedupe, eventType } = provider;
  return {
    answer,
    dedupe,
    eventType,
    ...given,
    verification: underneath(verification as Fields | null, given["verification"], "scheme"),
    handshake: underneath(handshake === null ? null : { kind: handshake }, given["handshake"], "kind"),
  };
}

/** The preset's object under the given one; not, where the given one is another kind of it. */
function underneath(preset: Fields | null, given: unknown, kind: string): unknown {
  if (given === undefined) return preset;
  if (preset === null || !isObject(given) || (given[kind] !== undefined && given[kind] !== preset[kind])) return given;
  const { hmac } = preset;
  const both = isObject(hmac) && isObject(given["hmac"]) ? { hmac: { ...hmac, ...given["hmac"] } } : {};
  return { ...preset, ...given, ...both };
}

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
