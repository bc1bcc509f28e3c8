import type { IncomingMessage } from "node:http";
import type { Headers } from "../../core/model.js";

interface ReaderSettings {
  /** Bytes of the body that are kept. */
  readonly previewBytes: number;
  /** Bytes that are read at all: up to here the connection can be used again, beyond it is closed. */
  readonly maxBytes: number;
  /** Called once when there is nothing more to read; `complete` when the whole body came. */
  readonly onEnd: (complete: boolean) => void;
}

/** Reads a response's body into a preview of bounded size and drops the rest. Bytes are never inflated. */
export class ResponseReader {
  readonly #response: IncomingMessage;
  readonly #settings: ReaderSettings;
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  #readBytes = 0;
  #ended: boolean = false;

  constructor(response: IncomingMessage, settings: ReaderSettings) {
    this.#response = response;
    this.#settings = settings;
    response.on("data", (chunk: Buffer) => this.#take(chunk));
    response.on("end", () => this.#end());
    // A body that breaks off: the status stands, the preview ends here.
    response.on("error", () => this.#end());
    response.on("close", () => this.#end());
  }

  /** What was kept so far, with what was received but not handed out yet. `cut`: the body had more, or did not end. */
  preview(): { readonly preview: Buffer; readonly previewCut: boolean } {
    if (!this.#ended) this.#response.read();
    const complete = this.#response.complete && this.#readBytes === this.#keptBytes;
    const [first] = this.#kept;
    const preview = first !== undefined && this.#kept.length === 1 ? first : Buffer.concat(this.#kept);
    return { preview, previewCut: !complete };
  }

  #take(chunk: Buffer): void {
    const part = chunk.subarray(0, this.#settings.previewBytes - this.#keptBytes);
    // A copy: the slice alone would keep the whole chunk in memory.
    if (part.length > 0) this.#kept.push(Buffer.from(part));
    this.#keptBytes += part.length;
    this.#readBytes += chunk.length;
    if (this.#readBytes > this.#settings.maxBytes) this.#end();
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#settings.onEnd(this.#response.complete && this.#readBytes <= this.#settings.maxBytes);
  }
}

/** Response headers as the rest of the relay knows headers: lower-case names, repeated ones joined by comma. */
export function headersOf(response: IncomingMessage): Headers {
  const joined = new Map<string, string>();
  for (let at = 0; at + 1 < response.rawHeaders.length; at += 2) {
    const name = (response.rawHeaders[at] ?? "").toLowerCase();
    const value = response.rawHeaders[at + 1] ?? "";
    const before = joined.get(name);
    joined.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return [...joined];
}
