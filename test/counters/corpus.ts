import { createRequire } from "node:module";

interface Examples {
  readonly examples: readonly unknown[];
}

const examples = createRequire(import.meta.url)(
  "@octokit/webhooks-examples/api.github.com/index.json",
) as readonly Examples[];

/** Every payload that GitHub documents, as JSON: webhooks as they are. */
export const corpus: readonly Buffer[] = examples
  .flatMap((each) => each.examples)
  .map((payload) => Buffer.from(JSON.stringify(payload)));

/** As many bytes of such JSON, one payload after another. */
export function corpusBytes(count: number): Buffer {
  const lines = Buffer.concat(corpus.flatMap((payload) => [payload, Buffer.from("\n")]));
  if (lines.length < count) throw new Error(`the corpus has only ${lines.length} bytes`);
  return lines.subarray(0, count);
}
