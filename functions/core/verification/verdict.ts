/** What a verification found. The reason is for the operator's log; the provider is told nothing but 401. */
export type VerificationResult =
  | {
      readonly ok: true;
      /** Id of the secret that matched; null when the source does not verify. */
      readonly secretId: string | null;
    }
  | { readonly ok: false; readonly reason: string };
