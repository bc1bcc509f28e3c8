/** `npm run counters`: counts, and prints the tables of docs/costs-counted.md; `-- --write` puts them into it. */
import { startCountingRelay } from "../support/counting-relay.js";
import { documentTables } from "./costs-document.js";
import { counterTables } from "./counter-table.js";
import { countUseCases } from "./use-cases.js";

const relay = await startCountingRelay();
try {
  const tables = counterTables(await countUseCases(relay));
  process.stdout.write(tables);
  if (process.argv.includes("--write")) await documentTables(tables);
} finally {
  await relay.close();
}
