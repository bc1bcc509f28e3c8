import { describe, expect, it } from "vitest";
import { queryUnits, queueRequests, readUnits, refusedWriteUnits, writeUnits } from "../support/counting-units.js";

const key = (AttributeName: string, KeyType: string) => ({ AttributeName, KeyType });
const table = {
  keySchema: [key("pk", "HASH"), key("sk", "RANGE")],
  indexes: [
    {
      IndexName: "due",
      KeySchema: [key("dpk", "HASH"), key("dsk", "RANGE")],
      Projection: { ProjectionType: "KEYS_ONLY" },
    },
  ],
};
const item = (fields: Record<string, string>) =>
  Object.fromEntries(Object.entries({ pk: "1", sk: "1", ...fields }).map(([name, value]) => [name, { S: value }]));
const plain = item({});
const listed = item({ dpk: "DUE#0", dsk: "2026-01-01" });

describe("write units", () => {
  it("are whole kilobytes of the larger of before and after", () => {
    const bytes = (count: number) => item({ a: "x".repeat(count - "pk1sk1a".length) });
    expect(writeUnits(table, null, bytes(1_024))).toBe(1);
    expect(writeUnits(table, null, bytes(1_025))).toBe(2);
    expect(writeUnits(table, bytes(3_000), plain)).toBe(3);
  });

  it("count an index entry that comes or goes as one, one whose key changes as two, one that stays as none", () => {
    expect(writeUnits(table, null, listed)).toBe(2);
    expect(writeUnits(table, listed, plain)).toBe(2);
    expect(writeUnits(table, listed, { ...listed, dsk: { S: "2026-01-02" } })).toBe(3);
    expect(writeUnits(table, listed, { ...listed, other: { S: "changed" } })).toBe(1);
  });

  it("count a change of what an index holds besides its keys as one", () => {
    const [due] = table.indexes;
    const including = (projection: object) => ({ ...table, indexes: [{ ...due, Projection: projection } as never] });
    const changed = { ...listed, note: { S: "new" } };
    expect(writeUnits(including({ ProjectionType: "ALL" }), listed, changed)).toBe(2);
    expect(writeUnits(including({ ProjectionType: "INCLUDE", NonKeyAttributes: ["note"] }), listed, changed)).toBe(2);
    expect(writeUnits(including({ ProjectionType: "INCLUDE", NonKeyAttributes: ["other"] }), listed, changed)).toBe(1);
  });

  it("are billed for a refused write by the item that it met", () => {
    expect(refusedWriteUnits(null)).toBe(1);
    expect(refusedWriteUnits(item({ a: "x".repeat(1_500) }))).toBe(2);
  });
});

describe("read units", () => {
  it("are four kilobytes, half of one when eventually consistent, and never free", () => {
    expect(readUnits(null, true)).toBe(1);
    expect(readUnits(plain, false)).toBe(0.5);
    expect(readUnits(item({ a: "x".repeat(4_096) }), true)).toBe(2);
  });

  it("round a query's items up together", () => {
    expect(queryUnits([], false)).toBe(0.5);
    expect(queryUnits([item({ a: "x".repeat(2_000) }), item({ a: "x".repeat(2_000) })], true)).toBe(1);
  });
});

it("counts an SQS request for each 64 KB", () => {
  expect([0, 65_536, 65_537].map(queueRequests)).toEqual([1, 1, 2]);
});
