import { AwsError } from "../aws-error.js";

/** Names one receive of one message: a later receive of the same message has another handle. */
export interface Receipt {
  readonly queueName: string;
  readonly sequence: number;
  readonly messageId: string;
  readonly receiveCount: number;
}

/** Opaque to callers; still good after a restart, as long as the message was not received again. */
export function encodeReceipt(receipt: Receipt): string {
  const fields = [receipt.queueName, receipt.sequence, receipt.messageId, receipt.receiveCount];
  return Buffer.from(JSON.stringify(fields)).toString("base64");
}

/** @throws {AwsError} `ReceiptHandleIsInvalid` for what was never a handle of this queue. */
export function decodeReceipt(handle: string, queueName: string): Receipt {
  const receipt = parse(handle);
  if (receipt === null || receipt.queueName !== queueName) {
    throw new AwsError(
      "ReceiptHandleIsInvalid",
      `The input receipt handle "${handle}" is not a valid receipt handle.`,
      {
        statusCode: 404,
      },
    );
  }
  return receipt;
}

function parse(handle: string): Receipt | null {
  try {
    const [queueName, sequence, messageId, receiveCount] = JSON.parse(Buffer.from(handle, "base64").toString());
    const wellFormed =
      typeof queueName === "string" &&
      Number.isInteger(sequence) &&
      typeof messageId === "string" &&
      Number.isInteger(receiveCount);
    return wellFormed ? { queueName, sequence, messageId, receiveCount } : null;
  } catch {
    return null;
  }
}
