import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DynamoDeliveryTable } from "../../functions/adapters/aws/delivery-table.js";
import { DynamoEventTable } from "../../functions/adapters/aws/event-table.js";
import { packContent } from "../../functions/core/content.js";
import { deadLetter, newDelivery } from "../../functions/core/delivery.js";
import { deliveryIdOf, eventIdFromKey } from "../../functions/core/ids.js";
import { anEvent } from "../support/builders.js";
import { type Destination, startDestination } from "../support/destination.js";
import { eventually, startRelay, type TestRelay } from "../support/relay.js";

let relay: TestRelay;
let destination: Destination;
beforeAll(async () => {
  relay = await startRelay();
  destination = await startDestination(() => 200);
});
afterAll(async () => {
  await destination.close();
  await relay.close();
});

const total = 500;
/** Seconds on a machine of its own; a busy one takes its time. */
const patienceMs = 180_000;

interface Replay {
  readonly replayId: string;
  readonly state: string;
  readonly replayed: number;
  readonly skipped: Readonly<Record<string, number>>;
}

const webhookIds = () => destination.requests.map(({ headers }) => String(headers["webhook-id"]));

/** Resolves when a bulk replay has ended, as the log says: each question would cost the relay some of what it works with. */
async function untilEnded({ replayId }: Replay): Promise<void> {
  const isEnd = (line: TestRelay["lines"][number]) =>
    line["message"] === "bulk replay ended" && line["replayId"] === replayId;
  await eventually(async () => relay.lines.find(isEnd), patienceMs);
}

/** Dead letters as the relay itself would have left them, written to its table. */
async function storeDead(subscriptionId: string): Promise<void> {
  const { awsUrl, wiring } = relay.engine;
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const client = new DynamoDBClient({ endpoint: awsUrl, region: "us-east-1", credentials });
  const table = { client: () => client, tableName: wiring.tables[0]?.name ?? "" };
  const options = { now: Date.now, retentionDays: 30 };
  const [events, deliveries] = [new DynamoEventTable(table, options), new DynamoDeliveryTable(table, options)];
  const receivedAtMs = Date.now() - 3_600_000;
  const store = async (n: number): Promise<void> => {
    const body = Buffer.from(JSON.stringify({ n }));
    const eventId = eventIdFromKey("shop", String(n));
    const event = anEvent(body, { eventId, sourceId: "shop", receivedAtMs: receivedAtMs + n });
    const content = {
      at: "inline",
      packed: packContent({ headers: [["content-type", "application/json"]], body }),
    } as const;
    await events.storeEvent({ event, content, subscriptionIds: [subscriptionId] });
    const { sourceId, bodySha256 } = event;
    const deliveryId = deliveryIdOf(eventId, subscriptionId);
    const origin = { deliveryId, eventId, sourceId, subscriptionId, bodySha256, receivedAtMs: event.receivedAtMs };
    const dead = deadLetter(newDelivery(origin, event.receivedAtMs), "permanent", event.receivedAtMs + 500);
    await deliveries.replaceDelivery(null, dead);
  };
  for (let start = 0; start < total; start += 50) {
    await Promise.all(Array.from({ length: 50 }, (_value, index) => store(start + index)));
  }
  client.destroy();
}

it(
  "five hundred dead letters are replayed once each, by one bulk replay that is cancelled and one that ends",
  async () => {
    const [subscription] = await relay.source({ sourceId: "shop" }, { url: `${destination.url}/hooks` });
    const subscriptionId = subscription?.subscriptionId ?? "";
    await storeDead(subscriptionId);
    const dryRun = { filter: { sourceId: "shop" }, dryRun: true };
    expect(await relay.admin("POST", "/admin/replays", dryRun)).toMatchObject({ matched: total, replay: total });
    const first = await relay.admin<Replay>("POST", "/admin/replays", { filter: {}, perSecond: 60 });
    const path = `/admin/replays/${first.replayId}`;
    await eventually(async () => destination.requests[0], patienceMs);
    await relay.admin("DELETE", path);

    const filter = { sourceId: "shop", reason: "permanent" };
    const second = await relay.admin<Replay>("POST", "/admin/replays", { filter, perSecond: 100 });
    await untilEnded(second);
    const ended = await relay.admin<Replay>("GET", `/admin/replays/${second.replayId}`);
    const cancelled = await relay.admin<Replay>("GET", path);
    expect([cancelled.state, ended.state]).toEqual(["cancelled", "done"]);
    expect(cancelled.replayed % 60).toBe(0);
    expect(cancelled.replayed).toBeLessThan(total);
    expect(ended.replayed + cancelled.replayed).toBe(total);
    expect(ended.skipped).toEqual({ already_replayed: cancelled.replayed });

    await eventually(async () => (destination.requests.length >= total ? true : undefined), patienceMs);
    const originals = Array.from({ length: total }, (_value, n) =>
      deliveryIdOf(eventIdFromKey("shop", String(n)), subscriptionId),
    );
    // The receiver's id names event and subscription: each came, and none twice.
    expect(webhookIds()).toHaveLength(total);
    expect(new Set(webhookIds())).toEqual(new Set(originals));
    expect(await relay.admin("POST", "/admin/replays", dryRun)).toMatchObject({ replay: 0 });
  },
  2 * patienceMs,
);
