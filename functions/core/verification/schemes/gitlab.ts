import { headerValue } from "../../header-list.js";
import { matchToken } from "../match.js";
import { readHeader } from "../read-signature.js";
import type { Scheme, Walk } from "../scheme.js";
import { textSecretProblem } from "../secret-form.js";
import { checkStandardWebhooks, standardWebhooks } from "./standard-webhooks.js";

/**
 * GitLab: a signing token `whsec_…` signs by Standard Webhooks, a secret token is sent as it is in `X-Gitlab-Token`.
 * Which of the two a secret is shows in its prefix, so that nobody gets by with the weaker one where only signing
 * tokens are configured.
 *
 * Source: GitLab's "Webhooks", sections on signing tokens and on validating requests by a secret token.
 */
export const gitlab: Scheme = {
  summary: "signing token: Standard Webhooks signature in webhook-signature; secret token: X-Gitlab-Token",
  secret: "the webhook's signing token (whsec_…) or its secret token",
  defaultToleranceSeconds: 300,
  requires: [],
  allows: ["toleranceSeconds"],
  secretProblem: (value, verification) =>
    isSigningToken(value) ? standardWebhooks.secretProblem(value, verification) : textSecretProblem(value),
  check(walk) {
    const signing = walk.secrets.filter(({ value }) => isSigningToken(value));
    const tokens = walk.secrets.filter(({ value }) => !isSigningToken(value));
    const isSigned = headerValue(walk.request.headers, "webhook-signature") !== null;
    if (signing.length > 0 && (isSigned || tokens.length === 0))
      return checkStandardWebhooks({ ...walk, secrets: signing });
    return checkToken({ ...walk, secrets: tokens });
  },
};

function checkToken(walk: Walk): string | null {
  const token = readHeader(walk, "x-gitlab-token", "token");
  return token === null ? null : matchToken(walk, token, "token", "token");
}

const isSigningToken = (value: string): boolean => value.startsWith("whsec_");
