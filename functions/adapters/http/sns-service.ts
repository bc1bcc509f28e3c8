import type { Clock, Sender, SnsService } from "../../app/ports.js";
import { LruMap } from "../aws/config-cache.js";
import { HttpSender } from "./sender.js";

/** A certificate has some 2 KB. */
const largestAnswerBytes = 16 * 1024;

/** SNS itself waits 15 s for an answer to its message, and comes again. */
const deadlineMs = 8_000;

/** SNS has one certificate per region, and a new one once in a year or so. */
const mostCertificates = 32;

/** Asks SNS by HTTPS GETs that are bounded in time and size, follow no redirect and meet public addresses only. */
export class HttpSnsService implements SnsService {
  private readonly certificates = new LruMap<string>(mostCertificates);

  constructor(
    private readonly sender: Sender,
    private readonly now: Clock,
  ) {}

  async certificate(url: string): Promise<string | null> {
    const known = this.certificates.get(url);
    if (known !== undefined) return known;
    const { statusCode, preview } = await this.get(url);
    if (statusCode !== 200) return null;
    const certificate = preview.toString("utf8");
    this.certificates.set(url, certificate);
    return certificate;
  }

  async confirm(url: string): Promise<void> {
    const { statusCode } = await this.get(url);
    if (statusCode !== 200)
      throw new Error(
        `SNS did not confirm the subscription: ${statusCode === null ? "no such host" : `it answered ${statusCode}`}`,
      );
  }

  /**
   * Rejects without an answer, and with one that says that SNS has trouble of its own. A host that does not exist is an
   * answer (null): whoever forges a message names any region, and shall not make the relay answer 503 with it.
   */
  private async get(url: string): Promise<{ readonly statusCode: number | null; readonly preview: Buffer }> {
    const { statusCode, error, errorDetail, preview } = await this.sender.send({
      url,
      method: "GET",
      headers: [["user-agent", "Steadyhook"]],
      body: Buffer.alloc(0),
      timeouts: { connectSeconds: 3, readSeconds: 5 },
      deadlineMs: this.now() + deadlineMs,
    });
    if (error === "dns" && errorDetail?.includes("ENOTFOUND") === true) return { statusCode: null, preview };
    if (statusCode === null) throw new Error(`SNS could not be asked: ${error} ${errorDetail ?? ""}`.trim());
    if (statusCode === 429 || statusCode >= 500) throw new Error(`SNS could not be asked: it answered ${statusCode}`);
    return { statusCode, preview };
  }
}

/** The service as the internet has it. */
export const snsService = (now: Clock): SnsService =>
  new HttpSnsService(
    new HttpSender({ now, allowLoopback: false, previewBytes: largestAnswerBytes, previewGraceMs: 3_000 }),
    now,
  );
