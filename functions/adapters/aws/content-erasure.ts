import type { S3Client } from "@aws-sdk/client-s3";
import type { ContentErasure } from "../../app/admin/ports.js";
import { bodiesPrefix } from "../../shared/bucket-layout.js";

/** Deletes what the bucket holds of an event: its content, that of duplicates, and what was offered for download. */
export class S3ContentErasure implements ContentErasure {
  constructor(
    private readonly client: () => Promise<S3Client>,
    private readonly bucketName: string,
  ) {}

  async eraseContents(eventId: string): Promise<void> {
    const [{ DeleteObjectCommand, ListObjectsV2Command }, client] = await Promise.all([
      import("./s3.js"),
      this.client(),
    ]);
    const ofEvent = { Bucket: this.bucketName, Prefix: `${bodiesPrefix}${eventId}/` };
    let more = true;
    while (more) {
      // What was listed is gone when the next page is asked for.
      const page = await client.send(new ListObjectsV2Command(ofEvent));
      const keys = (page.Contents ?? []).flatMap(({ Key }) => Key ?? []);
      await Promise.all(keys.map((Key) => client.send(new DeleteObjectCommand({ Bucket: this.bucketName, Key }))));
      more = page.IsTruncated === true;
    }
  }
}
