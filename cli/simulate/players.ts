import { presetCircuit, presetNames, presets } from "../../functions/core/presets.js";
import { usageError } from "../cli-error.js";
import { list } from "../option-values.js";
import type { ChosenPolicy } from "../policy/policy-choices.js";
import { policyText } from "../policy/words.js";
import type { Player } from "./play.js";
import { publishedPolicies } from "./published-policies.js";

/** A player with its name, and what is known of it. */
export interface NamedPlayer {
  readonly label: string;
  readonly about: string;
  /** What a model of somebody else's policy takes for granted; null: nothing. */
  readonly assumed: string | null;
  readonly player: Player;
}

/** The chosen policies by themselves: what their circuit is worth. */
const withoutCircuit = "no-circuit";

/** What `--compare` takes. */
export const comparedNames: readonly string[] = [...Object.keys(publishedPolicies), withoutCircuit, ...presetNames];

/** A delay that is longer than this is no retry of an outage that is played. */
const longestDelaySeconds = 3 * 86_400;

/** The chosen policies with their circuits, then what they are compared with. Throws a usage error for an unknown name. */
export function playersOf(chosen: readonly ChosenPolicy[], compare: string): readonly NamedPlayer[] {
  const names = list(compare);
  const unknown = names.find((name) => !comparedNames.includes(name));
  if (unknown !== undefined) {
    throw usageError(`--compare: "${unknown}" is none of ${comparedNames.join(", ")}.`);
  }
  const others = [...new Set(names)].flatMap((name) =>
    name === withoutCircuit ? chosen.map(asRetriesAlone) : [comparedWith(name)],
  );
  return [...chosen.map(asRelay), ...others];
}

function asRelay({ label, preview }: ChosenPolicy): NamedPlayer {
  const { preset, ...policy } = preview.policy;
  const circuit = presetCircuit(preset);
  return {
    label,
    about: `${policyText(preview)}, ${circuitText(circuit)}`,
    assumed: null,
    player: { kind: "relay", policy, circuit },
  };
}

function asRetriesAlone({ label, preview }: ChosenPolicy): NamedPlayer {
  if (preview.attempts.some(({ delay }) => delay.latestSeconds > longestDelaySeconds)) {
    throw usageError(`--compare ${withoutCircuit}: "${label}" has delays of more than 3 days.`);
  }
  const { preset: _named, ...policy } = preview.policy;
  return {
    label: `${label}, ${withoutCircuit}`,
    about: `${policyText(preview)}, no circuit`,
    assumed: null,
    player: { kind: "retries", policy, addedSeconds: 0, timeoutSeconds: 60 },
  };
}

function comparedWith(name: string): NamedPlayer {
  const published = publishedPolicies[name];
  if (published !== undefined) {
    return {
      label: name,
      about: published.published,
      assumed: published.assumed,
      player: { kind: "retries", ...published },
    };
  }
  const preset = presetNames.find((each) => each === name) ?? "default";
  const [policy, circuit] = [presets[preset], presetCircuit(preset)];
  return {
    label: name,
    about: `${policyText({ policy: { preset, ...policy } })}, ${circuitText(circuit)}`,
    assumed: null,
    player: { kind: "relay", policy, circuit },
  };
}

const circuitText = ({ failureThreshold }: { readonly failureThreshold: number }): string =>
  `circuit opens after ${failureThreshold === 1 ? "1 failure" : `${failureThreshold} failures`} in a row`;
