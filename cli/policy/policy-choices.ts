import { basename } from "node:path";
import { findPolicyPreview, type PolicyPreviewView } from "../../functions/app/admin/policy-preview.js";
import { AdminProblem } from "../../functions/app/admin/problem.js";
import { CliError } from "../cli-error.js";
import type { Io } from "../io.js";
import { type JsonObject, readJsonObject } from "../json-document.js";
import { type PolicyOptions, policyFieldsOf } from "../policy-options.js";

/** Which policies a command is about: presets, JSON policies, and single fields that are laid over each of them. */
export interface PolicyChoice extends PolicyOptions {
  readonly preset?: readonly string[];
  readonly policy?: readonly string[];
  readonly systemPreset?: string;
  readonly systemMaxAttempts?: number;
}

/** A policy with what its user calls it. */
export interface ChosenPolicy {
  readonly label: string;
  readonly preview: PolicyPreviewView;
}

/** All of them, presets first; without any the one that subscriptions have that give none. Throws what is wrong. */
export async function choosePolicies(choice: PolicyChoice, io: Io): Promise<readonly ChosenPolicy[]> {
  const laidOver = policyFieldsOf(choice);
  const chosen = await givenPolicies(choice, io);
  const changed = Object.keys(laidOver).length > 0 ? ", changed" : "";
  return chosen.map(({ label, given }, index) => {
    const preview = checked({ ...given, ...laidOver }, label, choice);
    const before = chosen.slice(0, index).filter((each) => each.label === label).length;
    return { label: `${label}${changed}${before === 0 ? "" : ` (${before + 1})`}`, preview };
  });
}

interface GivenPolicy {
  readonly label: string;
  readonly given: JsonObject;
}

async function givenPolicies(choice: PolicyChoice, io: Io): Promise<readonly GivenPolicy[]> {
  const { preset: names = [], policy: texts = [], systemPreset = "default" } = choice;
  const named = names.map((name): GivenPolicy => ({ label: name, given: { preset: name } }));
  const documents: GivenPolicy[] = [];
  // One after the other: stdin can be read once.
  for (const text of texts) documents.push({ label: labelOf(text), given: await readJsonObject(text, io) });
  const chosen = [...named, ...documents];
  return chosen.length > 0 ? chosen : [{ label: systemPreset, given: {} }];
}

/** A file's name says more than its content would. */
function labelOf(text: string): string {
  if (text === "-") return "stdin";
  return text.startsWith("@") ? basename(text.slice(1)).replace(/\.json$/, "") : "policy";
}

function checked(
  policy: JsonObject,
  label: string,
  { systemPreset = "default", systemMaxAttempts }: PolicyChoice,
): PolicyPreviewView {
  const maximum = systemMaxAttempts === undefined ? {} : { maxAttempts: systemMaxAttempts };
  // The timeouts are no part of a policy; these are the relay's own.
  const defaults = { policyPreset: systemPreset, ...maximum, connectSeconds: 15, readSeconds: 60 };
  try {
    return findPolicyPreview(defaults, { policy });
  } catch (error) {
    if (!(error instanceof AdminProblem)) throw error;
    const { code, errors = [] } = error.details;
    throw new CliError(`The policy "${label}" is not valid.`, { code, fields: errors });
  }
}
