/**
 * `npm run counters`: counts, and prints the tables of docs/costs-counted.md; `-- --write` puts them into it, and the
 * numbers that the cost model takes into cli/cost/counted.json.
 */
import { startCountingRelay } from "../support/counting-relay.js";
import { countersPart } from "./costs-document.js";
import { countCorpus } from "./count-corpus.js";
import { countsText, documentCounts } from "./counted-document.js";
import { counterTables } from "./counter-table.js";
import { countUseCases } from "./use-cases.js";

const relay = await startCountingRelay();
try {
  const counted = await countUseCases(relay);
  const tables = counterTables(counted.steps);
  process.stdout.write(tables);
  if (process.argv.includes("--write")) {
    await countersPart.write(tables);
    await documentCounts(countsText(counted, await countCorpus(relay)));
  }
} finally {
  await relay.close();
}
