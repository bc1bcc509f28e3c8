import { usageError } from "./cli-error.js";
import { isLoopback, type RelayAddress } from "./relay-address.js";
import { RelayClient } from "./relay-client.js";

/** Options of every command that say which relay is meant. */
export interface ConnectionOptions {
  readonly url?: string;
  readonly stack?: string;
  readonly relay?: string;
  readonly region?: string;
  readonly profile?: string;
  /** Explicitly signed, or explicitly not; undefined: as the URL suggests. */
  readonly sign?: boolean;
  /** What it is for, for the audit trail. */
  readonly reason?: string;
}

export const defaultUrl = "http://127.0.0.1:8787";

type Environment = Readonly<Record<string, string | undefined>>;

/** The relay that is meant. What AWS needs is loaded only when it is needed: a local command starts without it. */
export async function connect(options: ConnectionOptions, env: Environment): Promise<RelayClient> {
  if (options.stack === undefined) return new RelayClient(await addressOfUrl(options, env), options.reason);
  if (options.url !== undefined) throw usageError("--url and --stack name two relays.", "Leave one of them out.");
  return new RelayClient(await addressOfStack(options.stack, options), options.reason);
}

async function addressOfStack(stack: string, options: ConnectionOptions): Promise<RelayAddress> {
  const { region, profile, relay } = options;
  const { findStackRelay } = await import("./aws/stack.js");
  const found = await findStackRelay({ stack, region, profile, relay });
  const baseUrl = baseOf(found.adminUrl);
  return {
    baseUrl,
    ingressUrl: found.ingressUrl,
    sign: options.sign === false ? null : await signerFor(regionInName(baseUrl) ?? found.region, profile),
  };
}

async function addressOfUrl(options: ConnectionOptions, env: Environment): Promise<RelayAddress> {
  const baseUrl = baseOf(options.url ?? (env["STEADYHOOK_URL"] || defaultUrl));
  const ingressUrl = `${baseUrl}/in`;
  if (!isSigned(baseUrl, options)) return { baseUrl, ingressUrl, sign: null };
  const region = options.region ?? regionInName(baseUrl) ?? env["AWS_REGION"] ?? env["AWS_DEFAULT_REGION"];
  if (region === undefined || region === "") {
    throw usageError(
      `Calls of ${baseUrl} are signed, and its name does not say for which region.`,
      "Pass --region, or --no-sign for a relay that takes unsigned calls.",
    );
  }
  return { baseUrl, ingressUrl, sign: await signerFor(region, options.profile) };
}

/** A relay on this machine takes calls as they are; whatever else speaks HTTPS is on AWS. */
function isSigned(baseUrl: string, { sign, region, profile }: ConnectionOptions): boolean {
  if (sign !== undefined) return sign;
  return region !== undefined || profile !== undefined || (baseUrl.startsWith("https:") && !isLoopback(baseUrl));
}

async function signerFor(region: string, profile: string | undefined): Promise<RelayAddress["sign"]> {
  const { executeApiSigner } = await import("./aws/sign.js");
  return executeApiSigner({ region, profile });
}

/** An API's own name holds its region; a custom domain's does not. */
const regionInName = (url: string): string | undefined =>
  /^[^.]+\.execute-api\.([a-z0-9-]+)\.(amazonaws\.com(\.cn)?|api\.aws)$/.exec(new URL(url).hostname)?.[1];

/** The base URL, also from one of the stack's outputs as it was copied. */
function baseOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw usageError(`"${text}" is not an http(s) URL.`, `A relay's base URL looks like ${defaultUrl}.`);
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw usageError("A relay's base URL has no user, query or fragment.", `It looks like ${defaultUrl}.`);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(/\/(admin|publish|in)$/, "");
}
