import { expect, test } from "vitest";
import { dataFolderProblem } from "../../local/start-error.js";

const errorOf = (code: string, message: string, cause?: Error): Error =>
  Object.assign(new Error(message, { cause }), { code });

test("a folder that may not be written to is a sentence", () => {
  const error = errorOf("EACCES", "EACCES: permission denied, mkdir '/data/state'");

  expect(dataFolderProblem("/data", error)?.message).toBe(
    "The data folder /data cannot be used (EACCES: permission denied, mkdir '/data/state'): repair it, or set STEADYHOOK_DATA to another folder.",
  );
});

test("what LevelDB says is part of the sentence", () => {
  const cause = errorOf("LEVEL_CORRUPTION", "Corruption: missing files");
  const error = errorOf("LEVEL_DATABASE_NOT_OPEN", "Database failed to open", cause);

  expect(dataFolderProblem("/data", error)?.message).toContain("(Corruption: missing files)");
});

test("any other error stays what it is", () => {
  expect(dataFolderProblem("/data", new TypeError("x is not a function"))).toBeNull();
  expect(dataFolderProblem("/data", errorOf("ECONNREFUSED", "connect"))).toBeNull();
});
