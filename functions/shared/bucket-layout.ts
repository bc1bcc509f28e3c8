/** Where bodies lie in the bucket: only what is below this prefix expires, and only that the functions may touch. */
export const bodiesPrefix = "bodies/";

/** Where long bodies of faulted messages lie: they stay until somebody has sent the message back. */
export const faultsPrefix = "faults/";
