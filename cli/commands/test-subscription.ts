import type { Command } from "commander";
import type { DeliveryView, TestEventView } from "../../functions/app/admin/view-schemas.js";
import { CliError } from "../cli-error.js";
import type { Io } from "../io.js";
import { given, readJsonObject } from "../json-document.js";
import { run } from "../program.js";
import type { RelayClient } from "../relay-client.js";
import type { Session } from "../session.js";
import { showDelivery } from "./deliveries.js";

/** `steadyhook subscriptions test`: an event of the relay's own, and what came of it. */
export function addTestCommand(io: Io, command: Command): void {
  command
    .argument("<subscription>")
    .option("--type <type>", "its type (default steadyhook.test)")
    .option("--body <json>", "its body: a JSON object, @FILE or -")
    .option("--no-wait", "do not wait for its outcome");
  run(io, command, test);
}

interface TestOptions {
  readonly type?: string;
  readonly body?: string;
  readonly wait: boolean;
}

async function test(session: Session, { type, body, wait }: TestOptions, id = ""): Promise<void> {
  const relay = await session.relay();
  const content = body === undefined ? undefined : await readJsonObject(body, session.io);
  const path = `/subscriptions/${encodeURIComponent(id)}/test`;
  const sent = await relay.call<TestEventView>("POST", path, { body: given({ type, body: content }) });
  if (!wait) return session.result(sent, () => session.line(`${sent.deliveryId} is on its way.`));
  const delivery = await outcomeOf(session, relay, sent.deliveryId);
  session.result(delivery, () => showDelivery(session, delivery));
  if (delivery.status === "delivered") return;
  throw new CliError(`The test event is ${delivery.status}.`, {
    code: delivery.status,
    fix: `It goes on as any other: \`steadyhook deliveries show ${delivery.deliveryId}\`.`,
  });
}

const lookEveryMs = 500;
/** Longer than an attempt may take by default. */
const longestLooks = 240;

/** Until its first attempt has an outcome, or it is held. */
async function outcomeOf({ io }: Session, relay: RelayClient, deliveryId: string): Promise<DeliveryView> {
  for (let looks = 0; ; looks++) {
    const delivery = await relay.call<DeliveryView>("GET", `/deliveries/${encodeURIComponent(deliveryId)}`);
    const isUnderWay = delivery.status === "pending" || delivery.status === "attempting";
    if (!isUnderWay || looks === longestLooks || (await io.pause(lookEveryMs))) return delivery;
  }
}
