import { App, DefaultStackSynthesizer, type IStackSynthesizer, Validations } from "aws-cdk-lib";
import cdkJson from "../cdk.json" with { type: "json" };
import { SteadyhookStack } from "../lib/steadyhook-stack.js";

/**
 * The CDK app: one stack, for whatever account and region it is deployed to. Its name is `Steadyhook`, or what context
 * `steadyhook:stackName` says; {@link SteadyhookStack} lists the other context keys.
 *
 * The template is checked by CDK's own rules and cdk-nag, and a finding fails the run. That takes a few seconds:
 * `CDK_VALIDATION=false` skips it.
 */
const app = new App({
  // The flags of cdk.json hold for `node dist/bin/app.mjs` too: both ways give the same template.
  context: cdkJson.context,
});

const stackName: string = app.node.tryGetContext("steadyhook:stackName") ?? "Steadyhook";
new SteadyhookStack(app, stackName, {
  alarms: false,
  // The CLI checks the bootstrap version itself; without the rule the template needs no SSM parameter.
  // (The cast: CDK's types are not written for exactOptionalPropertyTypes.)
  synthesizer: new DefaultStackSynthesizer({ generateBootstrapVersionRule: false }) as IStackSynthesizer,
});

if (process.env["CDK_VALIDATION"] !== "false") {
  const { AwsSolutionsChecks } = await import("cdk-nag");
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}

app.synth();
