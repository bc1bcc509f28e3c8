import { expect, it } from "vitest";
import { httpApiEvent } from "../support/http-api-event.js";
import { aGithubSource, anOpenSource, ingressRig } from "../support/ingress-rig.js";

const post = (sourceId: string) => httpApiEvent({ method: "POST", path: `/in/${sourceId}`, body: "{}" });

it("ingress counts what it accepts and what it refuses, and neither when an event could not be kept", async () => {
  const { receive, metrics, failing } = ingressRig(anOpenSource({ sourceId: "open" }), aGithubSource());
  await receive(post("open"));
  await receive(post("open"));
  await receive(post("src"));
  await receive(post("unknown"));
  expect(metrics.counts).toMatchObject({ Accepted: 2, Refused: 2 });
  failing.add("queue");
  expect((await receive(post("open"))).statusCode).toBe(503);
  expect(metrics.counts).toMatchObject({ Accepted: 2, Refused: 2 });
});

it("ingress counts refused requests that it keeps aside", async () => {
  const kept = aGithubSource({ verification: { scheme: "github", onFailure: "quarantine" } });
  const { receive, metrics } = ingressRig(kept);
  await receive(post("src"));
  expect(metrics.counts).toEqual({ Refused: 1, Quarantined: 1 });
});
