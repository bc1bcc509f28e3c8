import { writeSync } from "node:fs";
import { startLocalAws } from "../../../local/aws/endpoint.js";

/**
 * Runs as a process of its own on the folder that is named. `serve`: prints the endpoint's URL and stays. `send`:
 * sends one message, prints its id, and is killed in the very moment in which it was acknowledged.
 */
const [dataDir = "", mode] = process.argv.slice(2);

async function main(): Promise<void> {
  const aws = await startLocalAws({ dataDir });
  if (mode === "serve") return console.log(aws.url);
  await aws.sqs.createQueue("orders");
  await aws.sqs.sendBody("orders", "x".repeat(100_000));
  writeSync(1, "acknowledged");
  process.kill(process.pid, "SIGKILL");
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
