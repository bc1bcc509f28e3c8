import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { RefusedRequest, type VerifiedRequest, verify } from "./verify.js";

/**
 * The same receiver as a Lambda function behind a function URL or an HTTP API. `TABLE_NAME`: a DynamoDB table with the
 * partition key `id` (text) and time to live on `expiresAt`; `WEBHOOK_SECRET`: `whsec_…`.
 */

/** Longer than the function's timeout: whoever holds an id for longer is dead. */
const claimSeconds = 60;
/** Longer than the relay retries, and than anybody replays. */
const rememberSeconds = 30 * 86_400;

export interface ReceiverServices {
  readonly secret: string;
  readonly tableName: string;
  readonly client: DynamoDBClient;
  /** What is to be done with each event, once. */
  readonly handle: (request: VerifiedRequest) => Promise<void>;
}

let services: ReceiverServices | undefined;

/** Called by AWS. */
export async function handler(event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
  services ??= {
    secret: process.env["WEBHOOK_SECRET"] ?? "",
    tableName: process.env["TABLE_NAME"] ?? "",
    client: new DynamoDBClient({}),
    handle: async ({ id, body }) => console.log(`${id}: ${body.length} bytes`),
  };
  return receive(services, event, Date.now());
}

/** Takes the id, works, and notes that it is done; only then is there a 2xx. */
export async function receive(
  { secret, tableName, client, handle }: ReceiverServices,
  event: APIGatewayProxyEventV2,
  nowMs: number,
): Promise<APIGatewayProxyStructuredResultV2> {
  const nowSeconds = Math.floor(nowMs / 1000);
  try {
    // The gateway hands binary bodies over as base64: what is verified is the bytes.
    const body = Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
    const request = verify(secret, event.headers, body);
    const key = { id: { S: request.id } };
    const claim = await claimId(client, tableName, request.id, nowSeconds);
    if (claim === "done") return answer(200, "handled before");
    // Another invocation is at it, or died: the relay comes back when that has been decided.
    if (claim === "taken") return answer(503, "being handled", { "retry-after": String(claimSeconds) });
    try {
      await handle(request);
    } catch (error) {
      await client.send(new DeleteItemCommand({ TableName: tableName, Key: key }));
      throw error;
    }
    const done = { ":done": { BOOL: true }, ":until": { N: String(nowSeconds + rememberSeconds) } };
    const UpdateExpression = "SET done = :done, expiresAt = :until";
    await client.send(
      new UpdateItemCommand({ TableName: tableName, Key: key, UpdateExpression, ExpressionAttributeValues: done }),
    );
    return answer(200, "handled");
  } catch (error) {
    if (error instanceof RefusedRequest) return answer(error.status, error.message);
    console.error(error);
    return answer(500, "failed");
  }
}

/** One conditional write decides who works, also between invocations that run at the same time. */
async function claimId(
  client: DynamoDBClient,
  tableName: string,
  id: string,
  nowSeconds: number,
): Promise<"mine" | "taken" | "done"> {
  try {
    await client.send(
      new PutItemCommand({
        TableName: tableName,
        Item: { id: { S: id }, expiresAt: { N: String(nowSeconds + claimSeconds) } },
        ConditionExpression: "attribute_not_exists(id) OR expiresAt < :now",
        ExpressionAttributeValues: { ":now": { N: String(nowSeconds) } },
      }),
    );
    return "mine";
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const read = new GetItemCommand({ TableName: tableName, Key: { id: { S: id } }, ConsistentRead: true });
    return (await client.send(read)).Item?.["done"]?.BOOL === true ? "done" : "taken";
  }
}

const answer = (statusCode: number, text: string, headers = {}): APIGatewayProxyStructuredResultV2 => ({
  statusCode,
  headers: { "content-type": "text/plain", ...headers },
  body: `${text}\n`,
});
