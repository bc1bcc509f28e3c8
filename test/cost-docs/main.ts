/** `npm run cost-docs`: puts the tables of the cost model into docs/cost.md. */
import { costParts } from "./cost-tables.js";

for (const { part, content } of Object.values(costParts)) await part.write(content());
