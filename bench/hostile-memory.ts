/**
 * npm run bench:memory: how much memory the sender takes for destinations that want to fill it. The destinations run on
 * a thread of their own, so that what they hold is not counted along. Numbers are printed, not judged: what is promised
 * (bytes read of an answer) is a test.
 */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { HttpSender } from "../functions/adapters/http/sender.js";
import type { OutboundRequest } from "../functions/app/ports.js";

const drips = 1_000;
const endlessRounds = 50;
/** How long each answer drips: below the read timeout, and until the deadline. */
const dripSeconds = 10;

/** `/endless`: a body without end, as fast as it is taken. `/drip`: one byte of a header each 100 ms. */
const server = `
  const { parentPort } = require("node:worker_threads");
  let written = 0;
  const chunk = Buffer.alloc(64 * 1024, "x");
  function flood(socket) {
    socket.write("HTTP/1.1 200 OK\\r\\ncontent-length: 1073741824\\r\\n\\r\\n");
    const more = () => socket.destroyed || socket.write(chunk, (error) => error || setImmediate(more));
    more();
    socket.on("close", () => { written += socket.bytesWritten; });
  }
  function drip(socket) {
    socket.write("HTTP/1.1 200 OK\\r\\nx-drip: ");
    const timer = setInterval(() => socket.write("x"), 100);
    socket.on("close", () => clearInterval(timer));
  }
  const server = require("node:net").createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (head) => (head.includes("/endless") ? flood(socket) : drip(socket)));
  });
  server.listen({ port: 0, host: "127.0.0.1", backlog: 2048 }, () => parentPort.postMessage(server.address().port));
  parentPort.on("message", () => parentPort.postMessage(written));`;

const mb = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

/** Memory of this process over a piece of work; the heap by itself, since the threads share the rest. */
async function measured(what: string, work: () => Promise<string>): Promise<void> {
  globalThis.gc?.();
  const before = process.memoryUsage();
  let [peakHeap, peakBuffers] = [before.heapUsed, before.arrayBuffers];
  const timer = setInterval(() => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    peakHeap = Math.max(peakHeap, heapUsed);
    peakBuffers = Math.max(peakBuffers, arrayBuffers);
  }, 20);
  const startedMs = performance.now();
  const came = await work();
  clearInterval(timer);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  globalThis.gc?.();
  const after = process.memoryUsage();
  console.log(`${what}: ${came}, ${seconds} s`);
  console.log(`  heap    before ${mb(before.heapUsed)}, peak ${mb(peakHeap)}, after ${mb(after.heapUsed)}`);
  console.log(`  buffers before ${mb(before.arrayBuffers)}, peak ${mb(peakBuffers)}, after ${mb(after.arrayBuffers)}`);
}

function outcomesOf(results: readonly { readonly statusCode: number | null; readonly error: string | null }[]): string {
  const counts = new Map<string, number>();
  for (const { statusCode, error } of results) {
    const outcome = String(statusCode ?? error);
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  return [...counts].map(([outcome, count]) => `${count} × ${outcome}`).join(", ");
}

const worker = new Worker(server, { eval: true });
const [port] = (await once(worker, "message")) as [number];
const sender = new HttpSender({ now: Date.now, allowLoopback: true });
const request = (path: string): OutboundRequest => ({
  url: `http://127.0.0.1:${port}${path}`,
  method: "POST",
  headers: [["content-type", "application/json"]],
  body: Buffer.from("{}"),
  timeouts: { connectSeconds: 15, readSeconds: 60 },
  deadlineMs: Date.now() + dripSeconds * 1000,
});

await sender.send(request("/endless"));
await measured(`${endlessRounds} answers of 1 GB, one after the other`, async () => {
  const results = [];
  for (let round = 0; round < endlessRounds; round++) results.push(await sender.send(request("/endless")));
  return outcomesOf(results);
});
await measured(`${drips} answers that drip, at the same time`, async () => {
  return outcomesOf(await Promise.all(Array.from({ length: drips }, () => sender.send(request("/drip")))));
});
worker.postMessage("how much");
const [written] = (await once(worker, "message")) as [number];
console.log(`written by the destination, of ${endlessRounds + 1} GB: ${mb(written)}`);
sender.close();
await worker.terminate();
