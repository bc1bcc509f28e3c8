import { usageError } from "../cli-error.js";
import type { Io } from "../io.js";
import { parseObject, readInputFile } from "../json-document.js";
import { readAll } from "../read-input.js";
import { isCurl, readCurl } from "./curl.js";
import { readJsonForm } from "./json-forms.js";
import { isRawHttp, readRawHttp } from "./raw-http.js";
import type { SavedRequest } from "./saved-request.js";

/** A saved request from a file, or from stdin as `-`, in whichever of the known forms it is. */
export async function readSavedRequest(given: string, io: Io): Promise<SavedRequest> {
  const name = given.replace(/^@/, "");
  const bytes = given === "-" ? await readAll(io, "the request") : await readInputFile(name);
  const text = bytes.toString("latin1");
  if (isCurl(text)) return await readCurl(bytes.toString("utf8"));
  if (isRawHttp(bytes)) return readRawHttp(bytes);
  if (/^(\xef\xbb\xbf)?\s*\{/.test(text)) return readJsonForm(parseObject(bytes, given === "-" ? "stdin" : name));
  throw usageError(
    `${given === "-" ? "stdin" : name} is no request that is understood here.`,
    'Give raw HTTP (POST /path HTTP/1.1, headers, an empty line, the body), a curl command, a HAR entry, an event of API Gateway, or {"method","path","query","headers","bodyBase64"}.',
  );
}
