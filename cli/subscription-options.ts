import { type Command, Option } from "commander";
import { presetNames } from "../functions/core/presets.js";
import { offering } from "./completion/offered.js";
import type { Io } from "./io.js";
import { given, type JsonObject, readJsonObject } from "./json-document.js";
import { list, number, orNone, repeated, seconds, text } from "./option-values.js";
import { addPolicyOptions, type PolicyOptions, policyFieldsOf } from "./policy-options.js";
import { headersOf, type RequestOptions, tlsOf } from "./request-options.js";
import { readSecret } from "./secret-input.js";

/** Options of `subscriptions create` and `subscriptions update`. Null: `none` was said, the default comes back. */
export interface SubscriptionOptions extends RequestOptions, PolicyOptions {
  readonly destination?: string;
  readonly name?: string | null;
  readonly description?: string | null;
  readonly preset?: string | null;
  readonly connectTimeout?: number | null;
  readonly readTimeout?: number | null;
  readonly failureThreshold?: number | null;
  readonly failureRate?: number | null;
  readonly minimumAttempts?: number | null;
  readonly cooldown?: number | null;
  readonly maxCooldown?: number | null;
  readonly maxPerSecond?: number | null;
  readonly types?: readonly string[] | null;
  readonly filter?: string | null;
  readonly forwardSuffix?: boolean;
  readonly signing?: string;
  readonly signingSecret?: string;
  readonly managedBy?: string | null;
  readonly document?: string;
}

const definition = "What it takes:";
const requests = "What goes out:";
const retries = "Retry policy (durations: 90, 30s, 5m, 2h, 1d; none brings the default back):";
const limits = "Timeouts, circuit, rate:";

export function addSubscriptionOptions(command: Command): Command {
  const option = (heading: string, flags: string, meaning: string, parse: (value: string) => unknown = text) =>
    command.addOption(new Option(flags, meaning).argParser(orNone(parse)).helpGroup(heading));
  const choice = (heading: string, flags: string, meaning: string, choices: string[]) =>
    command.addOption(new Option(flags, meaning).choices(choices).helpGroup(heading));
  const flag = (heading: string, flags: string, meaning: string) =>
    command.addOption(new Option(flags, meaning).helpGroup(heading));
  const many = (heading: string, flags: string, meaning: string) =>
    command.addOption(new Option(flags, meaning).argParser(repeated).helpGroup(heading));

  option(definition, "--name <name>", "unique in its source");
  option(definition, "--description <text>", "for humans");
  option(definition, "--types <patterns>", "event types, such as invoice.*,order.paid; none: all", list);
  option(definition, "--filter <json>", "which events of these, by headers and body: JSON, @FILE or -; none: all");
  flag(definition, "--forward-suffix", "append what follows the source's id in the ingress path");
  flag(definition, "--no-forward-suffix", "do not");
  choice(definition, "--signing <kind>", "how requests are signed", ["standard-webhooks", "off"]);
  flag(definition, "--signing-secret <where>", "whsec_… secret: env:NAME, @FILE or - (left out: one is made)");
  option(definition, "--managed-by <name>", "who keeps it");
  option(requests, "--client-certificate <file>", "PEM, intermediates after it; none takes it away");
  flag(requests, "--client-key <where>", "its private key: env:NAME, @FILE or -");
  option(requests, "--ca <file>", "PEM: authorities to trust instead of the public ones");
  many(requests, "--header <name=value>", "a header of its own; name=none takes it away; may be repeated");
  many(requests, "--secret-header <name=where>", "one whose value is sealed: name=env:NAME, name=@FILE or name=-");
  flag(definition, "--document <json>", "the request as JSON, @FILE or -; other options are laid over it");

  const preset = new Option("--preset <name>", presetNames.join(", ")).argParser(orNone(text)).helpGroup(retries);
  command.addOption(offering(preset, presetNames));
  addPolicyOptions(command, retries);

  option(limits, "--connect-timeout <duration>", "DNS, TCP and TLS together", seconds);
  option(limits, "--read-timeout <duration>", "longest silence", seconds);
  option(limits, "--failure-threshold <n>", "failures in a row that open the circuit", number);
  option(limits, "--failure-rate <share>", "share of a minute's attempts that opens it too, such as 0.5", number);
  option(limits, "--minimum-attempts <n>", "attempts that a minute must have for that", number);
  option(limits, "--cooldown <duration>", "shortest time from one probe of an open circuit to the next", seconds);
  option(limits, "--max-cooldown <duration>", "longest", seconds);
  option(limits, "--max-per-second <n>", "requests per second; none: no limit", number);
  return command;
}

/** The request's document: what was said, and nothing else. */
export async function subscriptionDocument(options: SubscriptionOptions, io: Io): Promise<JsonObject> {
  const base = options.document === undefined ? {} : await readJsonObject(options.document, io);
  const { destination: url, name, description, types, forwardSuffix, signing, managedBy, maxPerSecond } = options;
  const signingSecret = options.signingSecret === undefined ? undefined : await readSecret(options.signingSecret, io);
  const { connectTimeout: connectSeconds, readTimeout: readSeconds } = options;
  const { failureThreshold, failureRate, minimumAttempts } = options;
  const { cooldown: cooldownSeconds, maxCooldown: maxCooldownSeconds } = options;
  const circuit = { failureThreshold, failureRate, minimumAttempts, cooldownSeconds, maxCooldownSeconds };
  return {
    ...base,
    ...given({ url, name, description, types, forwardSuffix, signing, signingSecret, managedBy, maxPerSecond }),
    ...given({ filter: await filterOf(options, io) }),
    ...laidOver(base, "headers", await headersOf(options, io)),
    ...laidOver(base, "tls", await tlsOf(options, io)),
    ...laidOver(base, "policy", { ...given({ preset: options.preset }), ...policyFieldsOf(options) }),
    ...laidOver(base, "timeouts", given({ connectSeconds, readSeconds })),
    ...laidOver(base, "circuit", given(circuit)),
  };
}

const filterOf = async ({ filter }: SubscriptionOptions, io: Io): Promise<JsonObject | null | undefined> =>
  typeof filter === "string" ? readJsonObject(filter, io) : filter;

function laidOver(base: JsonObject, name: string, fields: JsonObject): JsonObject {
  return Object.keys(fields).length === 0 ? {} : { [name]: { ...(base[name] as object | null), ...fields } };
}
