import { type DynamoDBClient, paginateScan, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { tableLayout } from "../functions/shared/table-layout.js";

const { partitionKey, sortKey } = tableLayout;

/**
 * Ends the leases that an earlier process left behind. Only at start: the data folder is locked, so whoever held a
 * lease is gone, and waiting for it to run out would only delay what the restart repairs.
 */
export async function endStaleLeases(dynamodb: DynamoDBClient, tableName: string): Promise<number> {
  const attempting = {
    ExpressionAttributeNames: { "#status": "status" },
    ExpressionAttributeValues: { ":attempting": { S: "attempting" } },
  };
  let ended = 0;
  const pages = paginateScan(
    { client: dynamodb },
    { TableName: tableName, FilterExpression: "#status = :attempting", ConsistentRead: true, ...attempting },
  );
  for await (const { Items = [] } of pages) {
    for (const item of Items) {
      await dynamodb.send(
        new UpdateItemCommand({
          TableName: tableName,
          Key: { [partitionKey]: item[partitionKey] ?? { S: "" }, [sortKey]: item[sortKey] ?? { S: "" } },
          UpdateExpression: "SET leaseUntilMs = :past",
          ConditionExpression: "#status = :attempting",
          ExpressionAttributeNames: attempting.ExpressionAttributeNames,
          ExpressionAttributeValues: { ...attempting.ExpressionAttributeValues, ":past": { N: "0" } },
        }),
      );
      ended += 1;
    }
  }
  return ended;
}
