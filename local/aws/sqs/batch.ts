import { AwsError } from "../aws-error.js";
import { type JsonObject, objectList, optionalString } from "../json-input.js";

const maximumEntries = 10;

export interface BatchAnswer {
  readonly Successful: readonly object[];
  readonly Failed?: readonly object[];
}

/**
 * Runs each entry of a batch call. An entry that is refused is one of `Failed`, and the others go on; only a batch
 * that is wrong as such is refused as a whole.
 */
export async function inBatch(
  input: JsonObject,
  run: (entry: JsonObject) => Promise<void> | object | void,
): Promise<BatchAnswer> {
  const entries = objectList(input, "Entries");
  const ids = checkIds(entries);
  const outcomes = await Promise.all(
    entries.map(async (entry, index) => {
      try {
        await run(entry);
        return { success: { Id: ids[index] } };
      } catch (error) {
        if (!(error instanceof AwsError)) throw error;
        return { failure: { Id: ids[index], SenderFault: true, Code: error.queryCode, Message: error.message } };
      }
    }),
  );
  const Failed = outcomes.flatMap(({ failure }) => failure ?? []);
  return { Successful: outcomes.flatMap(({ success }) => success ?? []), ...(Failed.length > 0 && { Failed }) };
}

function checkIds(entries: readonly JsonObject[]): string[] {
  if (entries.length === 0) throw refused("EmptyBatchRequest", "There should be at least one entry in the request.");
  if (entries.length > maximumEntries) {
    const message = `Maximum number of entries per request are ${maximumEntries}. You have sent ${entries.length}.`;
    throw refused("TooManyEntriesInBatchRequest", message);
  }
  const ids = entries.map((entry) => optionalString(entry, "Id") ?? "");
  if (ids.some((id) => !/^[\w-]{1,80}$/.test(id))) {
    const message =
      "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.";
    throw refused("InvalidBatchEntryId", message);
  }
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) throw refused("BatchEntryIdsNotDistinct", `Id ${repeated} repeated.`);
  return ids;
}

const refused = (code: string, message: string): AwsError =>
  new AwsError(code, message, { queryCode: `AWS.SimpleQueueService.${code}` });
