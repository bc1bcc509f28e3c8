/** Resolves CloudFormation intrinsics to plain values; what it does not know is a clear error, never a guess. */

export interface IntrinsicScope {
  /** Value of `Ref`; pseudo parameters included. Throws for an unknown name. */
  readonly ref: (logicalId: string) => unknown;
  /** Value of `Fn::GetAtt`. Throws for an unknown attribute. */
  readonly attribute: (logicalId: string, name: string) => unknown;
}

/** Marks what `AWS::NoValue` removes from its object or list. */
const noValue = Symbol("AWS::NoValue");

/** `path` names the place in the template, for errors. */
export function resolveIntrinsics(value: unknown, scope: IntrinsicScope, path: string): unknown {
  const resolved = resolve(value, scope, path);
  return resolved === noValue ? undefined : resolved;
}

function resolve(value: unknown, scope: IntrinsicScope, path: string): unknown {
  if (Array.isArray(value)) {
    return value.map((entry, index) => resolve(entry, scope, `${path}.${index}`)).filter((entry) => entry !== noValue);
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const [name, argument] = entries[0] ?? ["", undefined];
  if (entries.length === 1 && (name === "Ref" || name.startsWith("Fn::"))) {
    return intrinsic(name, argument, scope, path);
  }
  const resolved = entries.map(([key, entry]) => [key, resolve(entry, scope, `${path}.${key}`)] as const);
  return Object.fromEntries(resolved.filter(([, entry]) => entry !== noValue));
}

function intrinsic(name: string, argument: unknown, scope: IntrinsicScope, path: string): unknown {
  const inner = (value: unknown): unknown => resolve(value, scope, `${path}.${name}`);
  const fail = (why: string): never => {
    throw new Error(`template: ${path}: ${name} ${why}`);
  };
  const text = (value: unknown): string => (typeof value === "string" ? value : String(value));
  switch (name) {
    case "Ref":
      return argument === "AWS::NoValue" ? noValue : scope.ref(text(argument));
    case "Fn::GetAtt": {
      const [logicalId, ...attribute] = Array.isArray(argument) ? argument.map(text) : text(argument).split(".");
      return scope.attribute(logicalId ?? "", attribute.join("."));
    }
    case "Fn::Join": {
      const [separator, parts] = pair(argument) ?? fail("needs a separator and a list");
      return list(inner(parts), fail).map(text).join(text(separator));
    }
    case "Fn::Select": {
      const [index, from] = pair(argument) ?? fail("needs an index and a list");
      const entries = list(inner(from), fail);
      return entries[Number(inner(index))] ?? fail(`has no entry ${text(index)} of ${entries.length}`);
    }
    case "Fn::Split": {
      const [separator, from] = pair(argument) ?? fail("needs a separator and a text");
      return text(inner(from)).split(text(separator));
    }
    case "Fn::Sub":
      return substitute(argument, scope, path);
    default:
      return fail("is not known to the local engine");
  }
}

/** `${Name}`, `${Name.Attribute}`, `${!Literal}`, and names of an own map. */
function substitute(argument: unknown, scope: IntrinsicScope, path: string): string {
  const [template, own] = (pair(argument) ?? [argument, {}]) as [string, Record<string, unknown>];
  return template.replace(/\$\{(!?)([^}]+)\}/g, (_all, literal: string, name: string) => {
    if (literal === "!") return `\${${name}}`;
    if (Object.hasOwn(own, name)) return String(resolve(own[name], scope, `${path}.${name}`));
    const dot = name.indexOf(".");
    return String(dot === -1 ? scope.ref(name) : scope.attribute(name.slice(0, dot), name.slice(dot + 1)));
  });
}

const pair = (value: unknown): [unknown, unknown] | null =>
  Array.isArray(value) && value.length === 2 ? [value[0], value[1]] : null;

const list = (value: unknown, fail: (why: string) => never): unknown[] =>
  Array.isArray(value) ? value : fail("needs a list");
