import type { SystemDefaults } from "../../shared/env.js";
import type { RedriveContext } from "../faults/redrive-fault.js";
import type {
  Clock,
  ContentStore,
  ControlQueue,
  DeliveryQueue,
  DeliveryTable,
  EventQueue,
  EventTable,
  Quarantined,
  ReplayNotes,
  SnsService,
} from "../ports.js";
import type { MetricsHistory } from "./metrics-history.js";
import type {
  AuditTrail,
  BodyDownloads,
  ContentErasure,
  DeliveryCounts,
  DeliveryIndex,
  EventErasure,
  EventList,
  FaultList,
  QueueDepths,
  ReplayStore,
  SourceStore,
  SubscriptionStore,
} from "./ports.js";

/** Everything that the admin use cases need from outside. */
export interface AdminContext extends RedriveContext {
  readonly sources: SourceStore;
  readonly subscriptions: SubscriptionStore;
  readonly deliveries: DeliveryTable & ReplayNotes;
  /** Where the first messages of replays and test events go. */
  readonly queue: DeliveryQueue;
  readonly deliveryIndex: DeliveryIndex;
  readonly deliveryCounts: DeliveryCounts;
  readonly events: EventTable & EventErasure;
  readonly eventList: EventList;
  readonly quarantine: Quarantined;
  /** Where accepted events go: also those that an operator releases. */
  readonly eventQueue: EventQueue;
  /** Gives the service when it is asked for. */
  readonly sns: () => Promise<SnsService>;
  readonly faultList: FaultList;
  readonly queues: QueueDepths;
  readonly history: MetricsHistory;
  readonly contents: ContentStore;
  readonly contentErasure: ContentErasure;
  readonly replays: ReplayStore;
  readonly audit: AuditTrail;
  readonly downloads: BodyDownloads;
  readonly control: ControlQueue;
  readonly now: Clock;
  /** Cryptographically random bytes. */
  readonly entropy: (bytes: number) => Buffer;
  /** Days that terminal deliveries stay. */
  readonly retentionDays: number;
  readonly defaults: SystemDefaults;
  /** Timeout of the delivery function: no attempt lasts longer. */
  readonly deliveryTimeoutSeconds: number;
  /** Destinations on this machine may be saved: the local relay only. */
  readonly allowLoopback: boolean;
  /** Blocks of private destinations that may be saved. */
  readonly privateCidrs: readonly string[];
}
