import type { S3Client } from "@aws-sdk/client-s3";
import type { BodyDownloads } from "../../app/admin/ports.js";
import type { Clock } from "../../app/ports.js";
import type { EventMeta } from "../../core/model.js";
import { bodiesPrefix } from "../../shared/bucket-layout.js";
import { presignGet } from "./presign.js";

/** Long enough to begin a download, short enough that a leaked link is soon worthless. */
const offeredSeconds = 300;

/**
 * Bodies as objects of their own: what the bucket holds otherwise is packed together with the headers. The copy lies
 * below the same prefix and expires by the same rule.
 */
export class S3BodyDownloads implements BodyDownloads {
  constructor(
    private readonly client: () => Promise<S3Client>,
    private readonly bucketName: string,
    private readonly now: Clock,
  ) {}

  async offer({ eventId, bodySha256 }: Pick<EventMeta, "eventId" | "bodySha256">, body: Buffer): Promise<string> {
    const key = `${bodiesPrefix}${eventId}/${bodySha256}.body`;
    const [{ PutObjectCommand }, client] = await Promise.all([import("./s3.js"), this.client()]);
    await client.send(
      new PutObjectCommand({ Bucket: this.bucketName, Key: key, Body: body, ContentType: "application/octet-stream" }),
    );
    const [region, credentials] = await Promise.all([client.config.region(), client.config.credentials()]);
    return presignGet({
      url: this.urlOf(key, region),
      query: { "response-content-disposition": `attachment; filename="${eventId}.body"` },
      region,
      credentials,
      nowMs: this.now(),
      expiresSeconds: offeredSeconds,
    });
  }

  private urlOf(key: string, region: string): string {
    const endpoint = process.env["AWS_ENDPOINT_URL_S3"] ?? process.env["AWS_ENDPOINT_URL"];
    if (endpoint !== undefined) return `${endpoint.replace(/\/$/, "")}/${this.bucketName}/${key}`;
    const suffix = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
    return `https://${this.bucketName}.s3.${region}.${suffix}/${key}`;
  }
}
