/** `npm run --silent example:restore -- FROM TO KIND… [--dry-run]`: see docs/runbook.md, Restore from PITR. */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { copyMissing } from "./copy-missing.js";

const [from, to, ...rest] = process.argv.slice(2);
const kinds = rest.filter((word) => word !== "--dry-run");
const dryRun = kinds.length < rest.length;

if (from === undefined || to === undefined || kinds.length === 0) {
  process.stderr.write("Usage: npm run --silent example:restore -- RESTORED_TABLE TABLE KIND… [--dry-run]\n");
  process.exit(2);
}

const client = new DynamoDBClient({});
const copied = await copyMissing({ client, from, to, kinds, dryRun, nowMs: Date.now() });
for (const [kind, { missing, there }] of Object.entries(copied)) {
  process.stdout.write(`${kind}: ${missing} ${dryRun ? "are missing" : "copied"}, ${there} are there\n`);
}
