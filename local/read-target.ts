import type { CloudTemplate } from "./cloud-template.js";

/** Finds the function that a name, an ARN or an invocation URI speaks of. */
export function functionArn(template: CloudTemplate, text: string): string {
  for (const id of template.ofType("AWS::Lambda::Function")) {
    const arn = String(template.attribute(id, "Arn"));
    if (text === template.name(id) || text === arn || text.includes(`${arn}/`) || text.endsWith(arn)) return arn;
  }
  throw new Error(`template: no function is meant by ${text}`);
}
