import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTable, type TestTable } from "../support/dynalite.js";
import { asFixture, fixtures, type Kind, newest } from "./fixtures.js";
import { writtenItems } from "./written-items.js";
import { writtenMessages } from "./written-messages.js";

/** Today's code writes exactly what the newest fixtures show: a change of what is written never goes unnoticed. */

let table: TestTable;
let written: Record<Kind, ReadonlyMap<string, Record<string, unknown>>>;
beforeAll(async () => {
  table = await startTable();
  written = { messages: writtenMessages(), items: await writtenItems(table) };
});
afterAll(() => table.close());

/** Ciphertexts differ each time. */
const comparable = ({ sealed, ...value }: Readonly<Record<string, unknown>>): string =>
  asFixture({ ...value, ...(sealed === undefined ? {} : { sealed: "sealed" }) });

const whatToDo = (kind: Kind, name: string, file: string, value: unknown): string =>
  `The shape of ${kind}/${name} has changed. Keep ${file}: it lies in tables and queues. Add the next number beside it ` +
  `with what is written now, and let the reading tests read both. If code that is deployed today cannot read the new ` +
  `shape, it needs a new \`v\`.\n${asFixture(value)}`;

describe.each(["messages", "items"] as const)("%s", (kind) => {
  it("are written in the newest shape of their fixtures", () => {
    const shapes = newest(kind);
    for (const [name, value] of written[kind]) {
      const fixture = shapes.get(name);
      expect(sorted(comparable(value)), whatToDo(kind, name, fixture?.file ?? "what is there", value)).toEqual(
        fixture && sorted(comparable(fixture.value)),
      );
    }
  });

  it("have a fixture each, and each fixture is written by something, or was", () => {
    const names = [...newest(kind).keys()].filter((name) => !noLongerWritten.includes(name));
    expect([...written[kind].keys()].toSorted(byText)).toEqual(names.toSorted(byText));
  });

  it("carry a version", () => {
    for (const { file, value } of fixtures(kind)) {
      // The first lease of a sweep had none: it is one number, and means nothing a minute later.
      if (file !== "sweep-lease.1.json") expect(value["v"], file).toBe(1);
    }
  });
});

/** Still read: queues hold what earlier versions sent. */
const noLongerWritten = ["release", "release-next-page"];

const sorted = (json: string): unknown => JSON.parse(json);
const byText = (a: string, b: string): number => (a < b ? -1 : 1);
