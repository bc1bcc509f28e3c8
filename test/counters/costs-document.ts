import { generatedPart } from "../support/generated-part.js";

/** The tables as the page of the counters has them. */
export const countersPart = generatedPart("docs/costs-counted.md", "counters", "npm run counters -- --write");
