import type { AddressInfo } from "node:net";
import { createReceiver } from "./server.js";

/** `npm run example:receiver`: a receiver on this machine. `PORT` (default 3000), `WEBHOOK_SECRET` (`whsec_…`). */

/** For trying out only: everybody who reads this knows it. */
const exampleSecret = "whsec_c3RlYWR5aG9vayBleGFtcGxlIHJlY2VpdmVyIGtleQ==";

const secret = process.env["WEBHOOK_SECRET"] ?? exampleSecret;
const server = createReceiver({
  secret,
  // Your work: when it rejects, the answer is a 500 and the event comes again.
  handle: async ({ id, body }) => {
    process.stdout.write(`${id} ${body.length} bytes: ${body.subarray(0, 200).toString("utf8")}\n`);
  },
});

server.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const document = JSON.stringify({ url, signingSecret: secret === exampleSecret ? secret : "<WEBHOOK_SECRET>" });
  process.stdout.write(
    [
      `The receiver listens on ${url}`,
      "Subscribe it to the local relay's demo source:",
      `  WEBHOOK_SECRET='${secret === exampleSecret ? secret : "…"}' npx steadyhook subscriptions create demo ${url} --signing-secret env:WEBHOOK_SECRET`,
      "or",
      "  curl -s http://127.0.0.1:8787/admin/sources/demo/subscriptions -H 'content-type: application/json' \\",
      `    -d '${document}'`,
      "and send an event:",
      `  curl -s http://127.0.0.1:8787/in/demo -H 'content-type: application/json' -d '{"hello":"world"}'`,
      "",
    ].join("\n"),
  );
});
