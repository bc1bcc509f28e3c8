import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDestination } from "../support/destination.js";
import { isFinal, startRelay, type TestRelay } from "../support/relay.js";

const oldSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const newSecret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const json = { "content-type": "application/json" };

let relay: TestRelay;
let folder: string;
let bundle: string;

beforeAll(async () => {
  relay = await startRelay();
  folder = await mkdtemp(join(tmpdir(), "steadyhook-receiver-"));
  bundle = join(folder, "receiver.cjs");
  const entry = fileURLToPath(new URL("../../examples/receiver/main.ts", import.meta.url));
  await build({ entryPoints: [entry], outfile: bundle, bundle: true, platform: "node", format: "cjs" });
});
afterAll(async () => {
  await relay.close();
  await rm(folder, { recursive: true });
});

/** The example as a process of its own; what it printed, line by line. */
async function startExample(secret: string) {
  const child = spawn(process.execPath, [bundle], { env: { PORT: "0", WEBHOOK_SECRET: secret } });
  const lines: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", () => reject(new Error("the example ended")));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      lines.push(...text.split("\n"));
      const found = /listens on (\S+)/.exec(lines.join("\n"))?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  return {
    url,
    lines,
    handled: () => lines.filter((line) => line.startsWith("dlv_")),
    close: () => new Promise<void>((resolve) => child.once("exit", () => resolve()) && child.kill()),
  };
}

async function delivered(sourceId: string, data: string) {
  const answer = (await (await relay.post(`/in/${sourceId}`, data, json)).json()) as { eventId: string };
  const deliveries = await relay.deliveries(answer.eventId, isFinal);
  return deliveries.map(({ deliveryId, attempts }) => ({ deliveryId, status: attempts.at(-1)?.statusCode }));
}

describe("the receiver of examples/receiver", () => {
  it("verifies real deliveries and prints how to subscribe", async () => {
    const example = await startExample(oldSecret);
    await relay.source({ sourceId: "a" }, { url: example.url, signingSecret: oldSecret });
    const [delivery] = await delivered("a", '{"n":"Müller 😀"}');
    expect(delivery?.status).toBe(200);
    expect(example.handled()).toEqual([`${delivery?.deliveryId} 20 bytes: {"n":"Müller 😀"}`]);
    expect(example.lines.join("\n")).toContain("subscriptions create demo http://127.0.0.1:");
    expect(example.lines.join("\n")).not.toContain(oldSecret);
    await example.close();
  });

  it("handles an event once whose answer was lost on its way", async () => {
    const example = await startExample(oldSecret);
    const lossy = await startDestination({
      respond: (response, { index, headers, body }) => {
        const forwarded = Object.entries(headers).filter(([name]) => name.startsWith("webhook-"));
        fetch(example.url, { method: "POST", headers: Object.fromEntries(forwarded), body }).then(
          ({ status }) => (index === 0 ? response.destroy() : response.writeHead(status).end()),
          () => response.destroy(),
        );
      },
    });
    const policy = { schedule: { kind: "fixed", baseSeconds: 1 }, jitter: 0 };
    await relay.source({ sourceId: "lossy" }, { url: lossy.url, signingSecret: oldSecret, policy });
    const [delivery] = await delivered("lossy", "{}");
    expect(delivery?.status).toBe(200);
    expect(lossy.requests).toHaveLength(2);
    expect(example.handled()).toEqual([`${delivery?.deliveryId} 2 bytes: {}`]);
    await example.close();
    await lossy.close();
  });

  it("refuses what is signed with another secret", async () => {
    const example = await startExample(newSecret);
    await relay.source({ sourceId: "b" }, { url: example.url, signingSecret: oldSecret });
    expect((await delivered("b", "{}"))[0]?.status).toBe(401);
    expect(example.handled()).toEqual([]);
    await example.close();
  });

  it("goes on during a rotation, with the old secret and with the new one; after the overlap with the new one only", async () => {
    const examples = [await startExample(oldSecret), await startExample(newSecret)];
    const subscriptions = examples.map(({ url }) => ({ url, signingSecret: oldSecret }));
    const statuses = async (sourceId: string, overlapSeconds: number) => {
      const made = await relay.source({ sourceId }, ...subscriptions);
      for (const { subscriptionId } of made) {
        const body = { signingSecret: newSecret, overlapSeconds };
        await relay.admin("POST", `/admin/subscriptions/${subscriptionId}/rotate-secret`, body);
      }
      return (await delivered(sourceId, "{}")).map(({ status }) => status ?? 0).toSorted((a, b) => a - b);
    };
    expect(await statuses("c", 60)).toEqual([200, 200]);
    expect(await statuses("d", 0)).toEqual([200, 401]);
    for (const example of examples) await example.close();
  });
});
