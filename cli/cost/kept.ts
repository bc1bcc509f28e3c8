import { type Assumptions, bytesPerGb } from "./assumptions.js";
import { type EventSize, stepOf } from "./counted.js";
import type { Usage } from "./usage.js";

/** What is kept of an event and of each of its deliveries, in GB-months. */
export function kept(size: EventSize, deliveries: number, { retentionDays }: Assumptions): Usage {
  const months = (days: number) => days / daysPerMonth;
  const event = (size.itemBytes + itemIndexBytes) * months(retentionDays + eventsOutliveDays);
  const delivery = (deliveryItemBytes + itemIndexBytes) * months(retentionDays);
  const listing = (listingEntryBytes + itemIndexBytes) * months(retentionDays);
  const items = (event + deliveries * delivery) / bytesPerGb;
  const bodies = (size.inBucket ? size.packedBytes * months(retentionDays + bodiesOutliveDays) : 0) / bytesPerGb;
  return {
    "dynamodb.storage": items + (deliveries * listing) / bytesPerGb,
    // Indexes are not part of it.
    "dynamodb.backups": items,
    "s3.storage": bodies,
  };
}

export const daysPerMonth = 365 / 12;
/** Events and bodies live on when their deliveries have ended (lib/storage.ts), and expiry takes a day or two. */
const eventsOutliveDays = 7;
const bodiesOutliveDays = 14;
/** What DynamoDB adds to each item and each entry of an index. */
const itemIndexBytes = 100;
const deliveryItemBytes = stepOf("tenDelivered").largestItemBytes;
/** Four keys of some 40 bytes, with their names. */
const listingEntryBytes = 180;
