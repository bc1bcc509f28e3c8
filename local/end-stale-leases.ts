import { tableLayout } from "../functions/shared/table-layout.js";
import type { DynamoDb } from "./aws/dynamodb/dynamodb.js";

const { partitionKey, sortKey } = tableLayout;

interface Page {
  readonly Items?: ReadonlyArray<Readonly<Record<string, unknown>>>;
  readonly LastEvaluatedKey?: object;
}

/**
 * Ends the leases that an earlier process left behind. Only at start: the data folder is locked, so whoever held a
 * lease is gone, and waiting for it to run out would only delay what the restart repairs.
 */
export async function endStaleLeases(dynamodb: DynamoDb, tableName: string): Promise<number> {
  const table = { TableName: tableName, ExpressionAttributeNames: { "#status": "status" } };
  const attempting = { ":attempting": { S: "attempting" } };
  let ended = 0;
  let ExclusiveStartKey: object | undefined;
  do {
    const { Items = [], LastEvaluatedKey }: Page = await dynamodb.call("Scan", {
      ...table,
      FilterExpression: "#status = :attempting",
      ExpressionAttributeValues: attempting,
      ConsistentRead: true,
      ...(ExclusiveStartKey === undefined ? {} : { ExclusiveStartKey }),
    });
    for (const item of Items) {
      await dynamodb.call("UpdateItem", {
        ...table,
        Key: { [partitionKey]: item[partitionKey], [sortKey]: item[sortKey] },
        UpdateExpression: "SET leaseUntilMs = :past",
        ConditionExpression: "#status = :attempting",
        ExpressionAttributeValues: { ...attempting, ":past": { N: "0" } },
      });
      ended += 1;
    }
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  return ended;
}
