/** Where bodies lie in the bucket: only what is below this prefix expires, and only that the functions may touch. */
export const bodiesPrefix = "bodies/";
