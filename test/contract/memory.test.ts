import { describe } from "vitest";
import { MemoryConfig } from "../../functions/adapters/memory/memory-config.js";
import { MemoryContentStore } from "../../functions/adapters/memory/memory-content-store.js";
import { MemoryDeliveryIndex } from "../../functions/adapters/memory/memory-delivery-index.js";
import { MemoryDeliveryTable } from "../../functions/adapters/memory/memory-delivery-table.js";
import { MemoryDueList } from "../../functions/adapters/memory/memory-due-list.js";
import { MemoryEventTable } from "../../functions/adapters/memory/memory-event-table.js";
import { MemoryFaultTable } from "../../functions/adapters/memory/memory-fault-table.js";
import { MemoryGates } from "../../functions/adapters/memory/memory-gates.js";
import { MemoryParkedList } from "../../functions/adapters/memory/memory-parked-list.js";
import { MemoryQueue } from "../../functions/adapters/memory/memory-queue.js";
import { MemoryQueues } from "../../functions/adapters/memory/memory-queues.js";
import { MemoryReplayTable } from "../../functions/adapters/memory/memory-replay-table.js";
import { MemoryScheduler } from "../../functions/adapters/memory/memory-scheduler.js";
import { MemorySourceConfigs } from "../../functions/adapters/memory/memory-source-configs.js";
import { MemorySourceStore } from "../../functions/adapters/memory/memory-source-store.js";
import { MemorySubscriptionConfigs } from "../../functions/adapters/memory/memory-subscription-configs.js";
import { MemorySubscriptionStore } from "../../functions/adapters/memory/memory-subscription-store.js";
import { aSourceRecord } from "../support/config-records.js";
import { memoryDataKeys } from "../support/memory-data-keys.js";
import { virtualClock } from "../support/virtual-clock.js";
import { configContract } from "./contracts/config-contract.js";
import { contentStoreContract } from "./contracts/content-store-contract.js";
import { dataKeysContract } from "./contracts/data-keys-contract.js";
import { deliveryListsContract } from "./contracts/delivery-lists-contract.js";
import { deliveryTableContract } from "./contracts/delivery-table-contract.js";
import { dueListContract } from "./contracts/due-list-contract.js";
import { eventTableContract } from "./contracts/event-table-contract.js";
import { faultTableContract } from "./contracts/fault-table-contract.js";
import { gatesContract } from "./contracts/gates-contract.js";
import { queuesContract } from "./contracts/queues-contract.js";
import { replayTableContract } from "./contracts/replay-table-contract.js";
import { schedulerContract } from "./contracts/scheduler-contract.js";
import { retentionDays } from "./contracts/some-deliveries.js";

/** Nothing comes by itself: what is not there at once never comes. */
const patienceMs = 100;

const table = () => {
  const clock = virtualClock();
  return { clock, table: new MemoryDeliveryTable({ now: clock.now, retentionDays }) };
};

describe("deliveries in memory", () => deliveryTableContract(table));

describe("lists in memory", () =>
  deliveryListsContract(() => {
    const at = table();
    const [parkedList, index] = [new MemoryParkedList(at.table), new MemoryDeliveryIndex(at.table)];
    return { ...at, parkedList, index, patienceMs };
  }));

describe("what is due in memory", () =>
  dueListContract(async () => {
    const at = table();
    const config = new MemoryConfig(at.clock.now);
    await new MemorySourceStore(config).createSource(aSourceRecord({ sourceId: "contract" }), {});
    const subscriptions = new MemorySubscriptionStore(config, retentionDays);
    const dueList = new MemoryDueList(at.table, config.gates);
    return { ...at, dueList, subscriptions, gates: new MemoryGates(config), patienceMs };
  }));

describe("bulk replays in memory", () =>
  replayTableContract(() => {
    const { clock, table: deliveries } = table();
    const replays = new MemoryReplayTable();
    return { clock, replays, dueList: new MemoryDueList(deliveries, new Map(), replays.replays) };
  }));

describe("faults in memory", () => faultTableContract(() => new MemoryFaultTable()));

describe("events in memory", () =>
  eventTableContract(() => {
    const clock = virtualClock();
    return { clock, table: new MemoryEventTable({ now: clock.now, retentionDays }) };
  }));

describe("queues in memory", () =>
  queuesContract(async () => {
    const { now, advance } = virtualClock();
    const named = {
      delivery: new MemoryQueue({ now }),
      deadLetter: new MemoryQueue({ now }),
      control: new MemoryQueue({ now }),
      slow: new MemoryQueue({ now }),
    };
    return {
      queues: new MemoryQueues(named.delivery, named.deadLetter, named.control, named.slow),
      receive: async (name) => named[name].receive(),
      remove: async (name, receiptHandle) => named[name].delete(receiptHandle),
      now,
      pass: advance,
      patienceMs,
    };
  }));

describe("schedules in memory", () =>
  schedulerContract(async () => {
    const { now, advance } = virtualClock();
    const target = new MemoryQueue({ now });
    const scheduler = new MemoryScheduler(now, target);
    return {
      scheduler,
      dueAt: async (name) => scheduler.schedules.get(name)?.atMs ?? null,
      receive: async () => target.receive(),
      now,
      pass(seconds) {
        advance(seconds);
        scheduler.fire();
      },
      patienceMs,
    };
  }));

describe("contents in memory", () => contentStoreContract(() => new MemoryContentStore()));

describe("gates in memory", () =>
  gatesContract(() => {
    const clock = virtualClock();
    const config = new MemoryConfig(clock.now);
    return {
      sources: new MemorySourceStore(config),
      subscriptions: new MemorySubscriptionStore(config, retentionDays),
      gates: new MemoryGates(config),
      elsewhere: new MemoryGates(config),
      clock,
    };
  }));

describe("data keys in memory", () => dataKeysContract(memoryDataKeys));

describe("configuration in memory", () =>
  configContract(() => {
    const clock = virtualClock();
    const config = new MemoryConfig(clock.now);
    return {
      sources: new MemorySourceStore(config),
      subscriptions: new MemorySubscriptionStore(config, retentionDays),
      sourceConfigs: new MemorySourceConfigs(config),
      subscriptionConfigs: new MemorySubscriptionConfigs(config, {
        policyPreset: "default",
        connectSeconds: 15,
        readSeconds: 60,
      }),
      gates: new MemoryGates(config),
      clock,
      patienceMs,
    };
  }));
