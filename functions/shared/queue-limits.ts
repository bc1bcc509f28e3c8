/**
 * Receives after which SQS moves a message to the fault queue. The delivery function moves it by itself at the last
 * one, with the cause; SQS does only when the function could not even do that.
 */
export const maxReceives = 10;
