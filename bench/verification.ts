/**
 * npm run bench:verification: CPU per verification of a body of 10 KB, for each scheme, with one live secret. Numbers are
 * printed, not judged.
 */
import { verify } from "../functions/core/verification/verify.js";
import { references } from "../test/core/verification/references.js";

const bodyBytes = 10_240;
const warmUp = 200;
const rounds = 2_000;

/** Letters, so that JSON and form hold about as many bytes. */
const body = Buffer.alloc(bodyBytes, "abcdefghij");
const nowMs = 1_700_000_000_000;

console.log(`CPU per verification of ${bodyBytes} bytes, Node ${process.versions.node}, ${rounds} rounds each`);
for (const { name, verification, secret, request } of references) {
  const received = request(body, nowMs);
  const secrets = [{ id: "sec_1", value: secret }];
  const run = (times: number): boolean => {
    let verified = true;
    for (let round = 0; round < times; round++) verified &&= verify(verification, secrets, received).ok;
    return verified;
  };
  if (!run(warmUp)) throw new Error(`${name} does not verify`);
  const before = process.cpuUsage();
  run(rounds);
  const { user, system } = process.cpuUsage(before);
  const microseconds = ((user + system) / rounds).toFixed(1).padStart(7);
  console.log(`  ${name.padEnd(32)} ${microseconds} µs (body of ${received.body.length} bytes)`);
}
