import type { AttributeValue } from "@aws-sdk/client-dynamodb";

/**
 * Size of an item as DynamoDB bills it: names and strings in UTF-8, numbers a byte per two digits and one more, three
 * bytes for a list or map and one for each of its members. A write unit covers 1,024 of them.
 */
export function itemBytes(item: Readonly<Record<string, AttributeValue>>): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);
}

function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return Math.ceil(value.N.replace(/^-|\./g, "").length / 2) + 1;
  if (value.B !== undefined) return value.B.length;
  if (value.BOOL !== undefined || value.NULL !== undefined) return 1;
  if (value.L !== undefined) return 3 + value.L.reduce((sum, each) => sum + 1 + valueBytes(each), 0);
  if (value.M !== undefined) return 3 + Object.keys(value.M).length + itemBytes(value.M);
  throw new Error(`no size rule for ${Object.keys(value).join()}`);
}
