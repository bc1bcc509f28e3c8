/** An error that a caller of the endpoint gets as AWS words it. Anything else that is thrown becomes a 500. */
export class AwsError extends Error {
  override readonly name = "AwsError";

  constructor(
    /** Name of the error's shape, without a namespace. */
    readonly code: string,
    message: string,
    readonly options: {
      /** Default 400. */
      readonly statusCode?: number;
      /** Code of the older query protocol, which SQS and KMS still send in a header; default: `code`. */
      readonly queryCode?: string;
    } = {},
  ) {
    super(message);
  }

  get statusCode(): number {
    return this.options.statusCode ?? 400;
  }

  get queryCode(): string {
    return this.options.queryCode ?? this.code;
  }
}
