import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
} from "@aws-sdk/client-dynamodb";

/** An item as DynamoDB hands it over: what is copied is not read, so that nothing of it can change. */
type RawItem = NonNullable<PutItemCommand["input"]["Item"]>;

export interface CopyOptions {
  readonly client: DynamoDBClient;
  /** The table that was restored. */
  readonly from: string;
  /** The relay's own. */
  readonly to: string;
  /** Kinds of items by the beginning of their partition key, such as `DLV`. */
  readonly kinds: readonly string[];
  /** Only counts. */
  readonly dryRun: boolean;
  readonly nowMs: number;
}

/** Per kind: items that were missing (and are copied now), and items that were there and stay as they are. */
export type Copied = Readonly<Record<string, { readonly missing: number; readonly there: number }>>;

/** Writes at the same time: some 1,000 a second. */
const writesAtOnce = 25;

/**
 * Copies what a restored table has and the relay's own has not. What is there stays as it is, since it is newer; what has
 * expired stays away. May be run again after an error: it goes on where it stopped.
 */
export async function copyMissing(options: CopyOptions): Promise<Copied> {
  const counts: Record<string, { missing: number; there: number }> = {};
  const count = (item: RawItem, as: "missing" | "there") => {
    const before = counts[kindOf(item)] ?? { missing: 0, there: 0 };
    counts[kindOf(item)] = { ...before, [as]: before[as] + 1 };
  };
  for await (const items of wantedItems(options, writesAtOnce)) {
    await Promise.all(items.map(async (each) => count(each, (await putIfAbsent(options, each)) ? "missing" : "there")));
  }
  return counts;
}

async function* wantedItems({ client, from, kinds, nowMs }: CopyOptions, size: number): AsyncGenerator<RawItem[]> {
  let start: RawItem | undefined;
  do {
    const page = await client.send(
      new ScanCommand({ TableName: from, ConsistentRead: true, ExclusiveStartKey: start }),
    );
    const wanted = (page.Items ?? []).filter((item) => kinds.includes(kindOf(item)) && !hasExpired(item, nowMs));
    for (let at = 0; at < wanted.length; at += size) yield wanted.slice(at, at + size);
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
}

const kindOf = (item: RawItem): string => item["pk"]?.S?.split("#")[0] ?? "";

const hasExpired = (item: RawItem, nowMs: number): boolean => Number(item["expiresAt"]?.N ?? Infinity) * 1000 < nowMs;

/** False: there is one already. */
async function putIfAbsent({ client, to, dryRun }: CopyOptions, item: RawItem): Promise<boolean> {
  if (dryRun) return !(await isThere(client, to, item));
  try {
    await client.send(
      new PutItemCommand({ TableName: to, Item: item, ConditionExpression: "attribute_not_exists(pk)" }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

async function isThere(client: DynamoDBClient, table: string, { pk, sk }: RawItem): Promise<boolean> {
  const key = { pk, sk } as RawItem;
  const { Item } = await client.send(
    new GetItemCommand({ TableName: table, Key: key, ConsistentRead: true, ProjectionExpression: "pk" }),
  );
  return Item !== undefined;
}
