import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Stack, Validations } from "aws-cdk-lib";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { Key } from "aws-cdk-lib/aws-kms";
import { Bucket } from "aws-cdk-lib/aws-s3";
import { type ISecret, Secret } from "aws-cdk-lib/aws-secretsmanager";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, test, vi } from "vitest";
import { SteadyhookStack, type SteadyhookStackProps } from "../../lib/steadyhook-stack.js";
import { anApp, aVpc, stubFunctions } from "./relay-template.js";

type StackProps = Partial<SteadyhookStackProps>;

/** Paths of the constructs in which cdk-nag finds something; `change` is applied to the stack before. */
function findings(makeProps: (other: Stack) => StackProps, change: (stack: SteadyhookStack) => void = () => {}) {
  // The report goes to the console as well.
  const silenced = vi.spyOn(console, "error").mockImplementation(() => {});
  const app = anApp();
  const props = makeProps(new Stack(app, "Other"));
  change(new SteadyhookStack(app, "Hooks", { alarms: false, functionsPath: stubFunctions, ...props }));
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  try {
    app.synth();
    return [];
  } catch {
    return violatingPaths(JSON.parse(readFileSync(join(app.outdir, "validation-report.json"), "utf8")));
  } finally {
    silenced.mockRestore();
  }
}

interface Report {
  readonly pluginReports: readonly {
    readonly violations: readonly { readonly violatingConstructs: readonly { readonly constructPath: string }[] }[];
  }[];
}

const violatingPaths = (report: Report): string[] =>
  report.pluginReports
    .flatMap(({ violations }) => violations)
    .flatMap(({ violatingConstructs }) => violatingConstructs.map(({ constructPath }) => constructPath));

describe("cdk-nag", () => {
  test("has nothing against a relay", () => {
    expect(findings(() => ({}))).toEqual([]);
  });

  test("has nothing against a relay in a network, with a domain and a key of the account", () => {
    const certificateArn = "arn:aws:acm:eu-west-1:123456789012:certificate/1";
    const found = findings((other) => ({
      vpc: aVpc(other),
      domain: {
        domainName: "hooks.example.com",
        certificate: Certificate.fromCertificateArn(other, "Certificate", certificateArn),
      },
      encryptionKey: Key.fromKeyArn(other, "Key", "arn:aws:kms:eu-west-1:123456789012:key/1"),
    }));
    expect(found.filter((path) => path.startsWith("Hooks/"))).toEqual([]);
  });

  test("has nothing against alarms, a dashboard and alerts", () => {
    const found = findings((other) => ({
      alarms: { email: "ops@example.com" },
      alerts: { slackWebhookUrl: new Secret(other, "Slack") as ISecret },
    }));
    expect(found.filter((path) => path.startsWith("Hooks/"))).toEqual([]);
  });

  test("is not silenced: what somebody adds is found, wildcards of a function too", () => {
    const found = findings(
      () => ({}),
      (stack) => {
        new Bucket(stack, "Open");
        stack.relay.ingress.function.allow(["s3:GetObject"], `${stack.relay.storage.bucket.bucketArn}/*`);
      },
    );
    expect(found).toContain("Hooks/Open/Resource");
    expect(found).toContain("Hooks/Steadyhook/Ingress/Role/DefaultPolicy/Resource");
  });
});

describe("the app", () => {
  const app = fileURLToPath(new URL("../../dist/bin/app.mjs", import.meta.url));

  test("is synthesized without an AWS account, and passes CDK's own checks and cdk-nag", () => {
    const outdir = mkdtempSync(join(tmpdir(), "steadyhook-synth-"));
    const { CDK_VALIDATION: _skipped, ...inherited } = process.env;
    execFileSync(process.execPath, [app], { env: { ...inherited, CDK_OUTDIR: outdir }, stdio: "pipe" });
    expect(existsSync(join(outdir, "Steadyhook.template.json"))).toBe(true);
    const manifest = JSON.parse(readFileSync(join(outdir, "manifest.json"), "utf8"));
    expect(manifest.artifacts.Steadyhook.environment).toBe("aws://unknown-account/unknown-region");
  });

  test("has a template without parameters and rules", () => {
    const outdir = mkdtempSync(join(tmpdir(), "steadyhook-synth-"));
    execFileSync(process.execPath, [app], { env: { ...process.env, CDK_OUTDIR: outdir, CDK_VALIDATION: "false" } });
    const template = JSON.parse(readFileSync(join(outdir, "Steadyhook.template.json"), "utf8"));
    expect(Object.keys(template)).toEqual(["Description", "Resources", "Outputs"]);
  });
});
