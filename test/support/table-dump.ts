import { ScanCommand } from "@aws-sdk/client-dynamodb";
import type { TestTable } from "./dynalite.js";

/** Everything that the table holds, as text, but the audit trail: refused writes are noted there too. */
export async function withoutTrail({ client, tableName }: TestTable): Promise<string> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName }));
  return JSON.stringify(Items.filter(({ pk }) => !String(pk?.S).startsWith("AUDIT#")));
}
