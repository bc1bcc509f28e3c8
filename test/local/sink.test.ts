import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Gateway } from "../../local/gateway.js";
import { Sink } from "../../local/sink.js";
import { sinkScript } from "../../local/sink-script.js";

let gateway: Gateway;
const seen: string[] = [];

beforeAll(async () => {
  const sink = new Sink((request) => seen.push(`${request.method} ${request.path} ${request.answeredStatus}`));
  gateway = await Gateway.open({ port: 0, onProblem: () => {} });
  gateway.serve({ routes: [], local: (request, target, body) => sink.handle(request, target, body) });
});
afterAll(() => gateway.close(0));

const send = (query: string, id = "msg_1", init: RequestInit = { method: "POST", body: "{}" }) =>
  fetch(`${gateway.url}/sink${query}`, { ...init, headers: { "webhook-id": id } });

describe("the sink", () => {
  test("answers 200 to any method and suffix", async () => {
    expect((await send("/a/b?x=1", "msg_1", { method: "PUT", body: "1" })).status).toBe(200);
    expect((await send("")).status).toBe(200);
    expect((await send("", "msg_1", { method: "GET" })).status).toBe(200);
  });

  test("gives the scripted status to the first requests of each webhook-id", async () => {
    const statuses = async (id: string) => {
      const answers = [];
      for (let index = 0; index < 4; index += 1) answers.push((await send("?status=503&times=2", id)).status);
      return answers;
    };

    expect(await statuses("msg_a")).toEqual([503, 503, 200, 200]);
    expect(await statuses("msg_b")).toEqual([503, 503, 200, 200]);
  });

  test("counts requests at the same moment one by one", async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => send("?status=500&times=2", "msg_c")));

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 500, 500]);
  });

  test("gives the scripted status for ever without times", async () => {
    expect((await send("?status=410")).status).toBe(410);
    expect((await send("?status=410")).status).toBe(410);
  });

  test("asks for a later retry once, then succeeds", async () => {
    const first = await send("?retryAfter=5", "msg_d");
    const second = await send("?retryAfter=5", "msg_d");

    expect([first.status, first.headers.get("retry-after")]).toEqual([503, "5"]);
    expect([second.status, second.headers.get("retry-after")]).toEqual([200, null]);
  });

  test("combines status, Retry-After, delay and body", async () => {
    const answer = await send("?status=429&retryAfter=2&delay=0.01&body=slow%20down");

    expect([answer.status, answer.headers.get("retry-after"), await answer.text()]).toEqual([429, "2", "slow down"]);
  });

  test("shows the last requests, newest first", async () => {
    await send("/shown?x=1", "msg_e", { method: "POST", body: '{"a":1}' });
    await send("/shown", "msg_f", { method: "POST", body: Buffer.from([0xff, 0]) });
    const { items } = (await (await fetch(`${gateway.url}/sink/requests`)).json()) as { items: unknown[] };

    expect(items[0]).toMatchObject({ path: "/sink/shown", body: "base64:/wA=", bodyBytes: 2, answeredStatus: 200 });
    expect(items[1]).toMatchObject({ query: "x=1", body: '{"a":1}', headers: { "webhook-id": "msg_e" } });
    expect(seen.at(-1)).toBe("POST /sink/shown 200");
  });

  test("keeps a bounded number of requests", async () => {
    await Promise.all(Array.from({ length: 110 }, () => send("")));
    const { items } = (await (await fetch(`${gateway.url}/sink/requests`)).json()) as { items: unknown[] };

    expect(items).toHaveLength(100);
  });

  test.each(["status=abc", "status=99", "status=", "times=0", "times=1.5", "retryAfter=-1", "delay=x", "delay=9999"])(
    "refuses ?%s with a 400 that names the parameter",
    async (query) => {
      const answer = await send(`?${query}`);

      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain(`Query parameter ${query.split("=")[0]} must be`);
    },
  );
});

test("parameters that the sink does not know are the sender's own", () => {
  expect(sinkScript("hub.mode=subscribe&a=1")).toMatchObject({ status: 200, times: null });
});

test("times alone means that many failures", () => {
  expect(sinkScript("times=2")).toMatchObject({ status: 503, times: 2 });
});
