/** What a call asks for: an action on a resource, and what conditions may look at. */
export interface Need {
  /** `dynamodb:Query` */
  readonly action: string;
  /** An ARN; `*` where the action knows no resources. */
  readonly resource: string;
  /** Values of condition keys, e.g. `dynamodb:LeadingKeys`. */
  readonly context?: Readonly<Record<string, readonly string[]>>;
}

/** A statement of a policy, compiled. */
export interface Statement {
  readonly allows: boolean;
  readonly actions: readonly RegExp[];
  readonly resources: readonly RegExp[];
  readonly conditions: readonly Condition[];
}

interface Condition {
  readonly key: string;
  readonly values: readonly RegExp[];
  /** True without any value, too. */
  readonly ofAllValues: boolean;
}

/** Reads a statement as CloudFormation has it, intrinsics resolved. Throws for a part of the language that no role uses. */
export function readStatement(raw: Readonly<Record<string, unknown>>): Statement {
  const { Effect, Action, Resource, Condition: given = {}, Sid: _name, ...unknown } = raw;
  const [unread] = Object.keys(unknown);
  if (unread !== undefined) throw new Error(`template: ${unread} of a policy is not known to the local engine`);
  return {
    allows: Effect === "Allow",
    actions: patterns(Action, "i"),
    resources: patterns(Resource),
    conditions: Object.entries(given as Record<string, Record<string, unknown>>).flatMap(readConditions),
  };
}

function readConditions([operator, keys]: [string, Record<string, unknown>]): Condition[] {
  const [, quantifier = "", comparison = ""] = /^(ForAllValues:)?(StringEquals|StringLike)$/.exec(operator) ?? [];
  if (comparison === "") throw new Error(`template: condition ${operator} is not known to the local engine`);
  return Object.entries(keys).map(([key, values]) => ({
    key,
    values: comparison === "StringLike" ? patterns(values) : list(values).map((value) => whole(escaped(value))),
    ofAllValues: quantifier !== "",
  }));
}

/** What IAM decides: some statement allows it, and none denies it. */
export function isAllowed(statements: readonly Statement[], need: Need): boolean {
  const applying = statements.filter((statement) => applies(statement, need));
  return applying.length > 0 && applying.every(({ allows }) => allows);
}

function applies({ actions, resources, conditions }: Statement, { action, resource, context = {} }: Need): boolean {
  return (
    actions.some((pattern) => pattern.test(action)) &&
    resources.some((pattern) => pattern.test(resource)) &&
    conditions.every((condition) => holds(condition, context[condition.key] ?? []))
  );
}

function holds({ values, ofAllValues }: Condition, given: readonly string[]): boolean {
  const matches = (value: string): boolean => values.some((pattern) => pattern.test(value));
  return ofAllValues ? given.every(matches) : given.some(matches);
}

const list = (value: unknown): readonly string[] => (Array.isArray(value) ? value : [value]).map(String);

/** `*` is any text, `?` any character. */
const patterns = (value: unknown, flags = ""): readonly RegExp[] =>
  list(value).map((text) => whole(escaped(text).replaceAll("\\*", ".*").replaceAll("\\?", "."), flags));

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
const whole = (pattern: string, flags = ""): RegExp => new RegExp(`^${pattern}$`, `s${flags}`);
