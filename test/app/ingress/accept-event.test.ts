import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { acceptEvent, type IngressPorts } from "../../../functions/app/ingress/accept-event.js";
import type { ProviderRequest } from "../../../functions/app/ingress/inbound-request.js";
import { anOpenSource } from "../../support/ingress-rig.js";

const request = (overrides: Partial<ProviderRequest> = {}): ProviderRequest => ({
  door: "in",
  sourceId: "src",
  method: "POST",
  suffix: "",
  query: "",
  headers: [],
  body: Buffer.from("{}"),
  ...overrides,
});

/** Ports whose calls stay open until the test lets them go. */
function heldPorts() {
  const waiting: { readonly call: string; readonly letGo: () => void }[] = [];
  const hold = (call: string) =>
    new Promise<void>((resolve) => {
      waiting.push({ call, letGo: resolve });
    });
  const ports: IngressPorts = {
    sources: { find: async () => anOpenSource() },
    queue: { sendEvent: () => hold("send") },
    contents: { put: () => hold("put"), get: async () => Buffer.alloc(0) },
    sns: () => Promise.reject(new Error("nobody asks SNS")),
    quarantine: () => Promise.reject(new Error("nobody is quarantined")),
    clock: () => 0,
    entropy: () => Buffer.alloc(16),
  };
  return { ports, waiting };
}

/** Everything that can run without a call coming back has run. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("accepting an event", () => {
  it("makes one call, the send, and is done only when it is", async () => {
    const { ports, waiting } = heldPorts();
    let done = false;
    const accepting = acceptEvent(ports, request()).finally(() => {
      done = true;
    });
    await settle();
    expect(waiting.map(({ call }) => call)).toEqual(["send"]);
    expect(done).toBe(false);
    waiting[0]?.letGo();
    expect(await accepting).toEqual({ eventId: expect.stringMatching(/^evt_/), answer: "event-id" });
  });

  it("sends the message that points to the bucket only once the bucket has the body", async () => {
    const { ports, waiting } = heldPorts();
    const accepting = acceptEvent(ports, request({ body: randomBytes(900_000) }));
    await settle();
    expect(waiting.map(({ call }) => call)).toEqual(["put"]);
    waiting[0]?.letGo();
    await settle();
    expect(waiting.map(({ call }) => call)).toEqual(["put", "send"]);
    waiting[1]?.letGo();
    await accepting;
  });

  it("rejects when the send is rejected, so that nobody is told that the event is kept", async () => {
    const { ports } = heldPorts();
    const failing: IngressPorts = { ...ports, queue: { sendEvent: () => Promise.reject(new Error("down")) } };
    await expect(acceptEvent(failing, request())).rejects.toThrow("down");
  });
});
