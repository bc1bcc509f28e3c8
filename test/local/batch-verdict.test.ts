import { expect, test } from "vitest";
import { batchVerdict } from "../../local/batch-verdict.js";

const ids = ["a", "b", "c"];
const answer = (value: unknown) => ({ ok: true as const, payload: JSON.stringify(value) });
const failedOf = (value: unknown, reports = true) => [...batchVerdict(answer(value), ids, reports).failedIds];

test.each([
  ["null", null],
  ["an empty object", {}],
  ["an empty list", { batchItemFailures: [] }],
  ["a null list", { batchItemFailures: null }],
])("%s means that the whole batch succeeded", (_name, value) => {
  expect(failedOf(value)).toEqual([]);
});

test("the messages that are named stay, the others are done", () => {
  expect(failedOf({ batchItemFailures: [{ itemIdentifier: "b" }, { itemIdentifier: "b" }] })).toEqual(["b"]);
});

test.each([
  ["an unknown identifier", { batchItemFailures: [{ itemIdentifier: "a" }, { itemIdentifier: "z" }] }],
  ["an empty identifier", { batchItemFailures: [{ itemIdentifier: "" }] }],
  ["a null identifier", { batchItemFailures: [{ itemIdentifier: null }] }],
  ["another key", { batchItemFailures: [{ id: "a" }] }],
  ["an entry that is null", { batchItemFailures: [null] }],
  ["failures that are no list", { batchItemFailures: "a" }],
  ["text", "ok"],
  ["a list", []],
])("%s fails the whole batch", (_name, value) => {
  expect(failedOf(value)).toEqual(ids);
});

test("a failed invocation fails the whole batch, with the reason", () => {
  const verdict = batchVerdict({ ok: false, errorType: "Error", errorMessage: "no" }, ids, true);

  expect([...verdict.failedIds]).toEqual(ids);
  expect(verdict.problem).toBe("a batch of 3 failed as a whole: Error: no");
});

test("without ReportBatchItemFailures the answer does not matter", () => {
  expect(failedOf({ batchItemFailures: [{ itemIdentifier: "b" }] }, false)).toEqual([]);
});
