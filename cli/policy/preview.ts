import type { Session } from "../session.js";
import { choosePolicies, type PolicyChoice } from "./policy-choices.js";
import { showComparison } from "./show-comparison.js";
import { showPreview } from "./show-preview.js";
import { svgOf } from "./svg.js";
import { writeSvg } from "./write-svg.js";

export interface PreviewOptions extends PolicyChoice {
  readonly svg?: string;
}

/** Shows one policy, or several side by side. */
export async function previewPolicies(session: Session, options: PreviewOptions): Promise<void> {
  const chosen = await choosePolicies(options, session.io);
  const [first, ...others] = chosen;
  if (first === undefined) return;
  if (options.svg === "-") return session.line(svgOf(chosen));
  const answer =
    others.length === 0 ? first.preview : { items: chosen.map(({ label, preview }) => ({ label, ...preview })) };
  session.result(answer, () => {
    if (others.length === 0) showPreview(session, first.label, first.preview);
    else showComparison(session, chosen);
  });
  if (options.svg !== undefined) await writeSvg(session, options.svg, svgOf(chosen));
}
