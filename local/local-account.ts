/** The account that the local AWS pretends to be: part of every ARN and queue URL. */
export const accountId = "000000000000";

/** Its region. */
export const region = "us-east-1";
