import { outages, sectionOf, write } from "./healing-document.js";

/**
 * `npm run healing`: plays the outages of docs/healing.md, and puts what they come to into the page.
 * `npm run healing -- 10m 1h` plays those only.
 */
const named = process.argv.slice(2);
const unknown = named.find((each) => !outages.some((outage) => outage === each));
if (unknown !== undefined) throw new Error(`${unknown} is none of ${outages.join(", ")}`);
for (const outage of outages.filter((each) => named.length === 0 || named.includes(each))) {
  await write(outage, await sectionOf(outage));
}
