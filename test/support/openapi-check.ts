import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { safeParse } from "valibot";
import { answerSchemas } from "../../functions/admin/openapi/components.js";
import { openApiDocument } from "../../functions/admin/openapi/document.js";
import { routes } from "../../functions/admin/routes.js";

/** Holds real answers against the OpenAPI document: what is not documented is a failure of the test. */

// biome-ignore lint/suspicious/noExplicitAny: the document is read as any client would read it.
const document = openApiDocument(routes) as any;
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, "api");

const compiled = new Map<string, ValidateFunction>();

export interface CheckedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
}

/** Throws what is wrong with the answer; a path that the document does not know is checked for its problem only. */
export function checkAnswer(method: string, path: string, answer: CheckedAnswer): void {
  const template = Object.keys(document.paths).find((each) => patternOf(each).test(path));
  const operation = template === undefined ? undefined : document.paths[template][method.toLowerCase()];
  if (operation === undefined || template === undefined) {
    validate("#/components/schemas/Problem", answer.body, `${method} ${path}`);
    return;
  }
  const where = `${method} ${template} ${answer.status}`;
  const documented = operation.responses[String(answer.status)];
  if (documented === undefined) throw new Error(`${where} is not documented: ${JSON.stringify(answer.body)}`);
  const type = answer.headers["content-type"] ?? null;
  const content = documented.content?.[type ?? ""];
  if (type === null && documented.content === undefined) return;
  if (content === undefined) throw new Error(`${where} documents no ${type}`);
  if (type === null || type === "application/octet-stream") return;
  const response = `paths/${escapePointer(template)}/${method.toLowerCase()}/responses/${answer.status}`;
  validate(`#/${response}/content/${escapePointer(type)}/schema`, answer.body, where);
  checkStrictly(content.schema.$ref, answer.body, where);
}

/** The document lets new fields pass, its schemas' source does not. */
function checkStrictly(ref: string | undefined, body: unknown, where: string): void {
  const name = ref?.split("/").at(-1) as keyof typeof answerSchemas | undefined;
  const schema = name === undefined ? undefined : answerSchemas[name];
  const result = schema === undefined ? undefined : safeParse(schema, body);
  if (result?.success === false) throw new Error(`${where}: ${JSON.stringify(result.issues.slice(0, 3))}`);
}

/** Throws unless the value satisfies the schema at the pointer. */
export function validate(pointer: string, value: unknown, where: string): void {
  const check = compiled.get(pointer) ?? ajv.compile({ $ref: `api${pointer}` });
  compiled.set(pointer, check);
  if (!check(value)) throw new Error(`${where}: ${ajv.errorsText(check.errors)} in ${JSON.stringify(value)}`);
}

const escapePointer = (part: string) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));

const patternOf = (template: string) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}/?$`);
