/** One field that differs. Absent and null are the same where a field may be left out. */
export interface FieldChange {
  /** Path inside the object, such as `policy.maxAttempts`. */
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Field by field: objects are compared inside, lists and values as a whole. */
export function differences(from: JsonObject, to: JsonObject, path = ""): readonly FieldChange[] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return names.flatMap((name) => {
    const field = path === "" ? name : `${path}.${name}`;
    // At the top a field that is left out is null; inside, null is a value of its own ("no cap").
    return changeOf(field, inside(from[name], path), inside(to[name], path));
  });
}

const inside = (value: unknown, path: string): unknown => (path === "" && value === null ? undefined : value);

function changeOf(field: string, from: unknown, to: unknown): readonly FieldChange[] {
  if (isObject(from) || isObject(to)) {
    const isWhole = (value: unknown) => value !== undefined && !isObject(value);
    if (!isWhole(from) && !isWhole(to)) return differences(objectOf(from), objectOf(to), field);
  }
  return ordered(from) === ordered(to) ? [] : [{ field, from, to }];
}

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** The same text for the same JSON: a table gives the fields of an object back in an order of its own. */
const ordered = (value: unknown): string | undefined =>
  JSON.stringify(value, (_name, each) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1))) : each,
  );
