import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What would be waited for alone if it began last. */
const longest = [
  "durability/durability",
  "simulation/simulation",
  "simulation/bulk-replay",
  "console/operating",
  "e2e/circuit",
  "e2e/isolation",
  "docs/readme",
  "e2e/gate",
  "e2e/relay",
  "model/delivery",
].map((name) => `/test/${name}.test.ts`);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => longest.some((name) => moduleId.endsWith(name));
    return [...files.filter(isLong), ...(await super.sort(files.filter((file) => !isLong(file))))];
  }
}

/** Tests that need modules of their own: a function reads its environment, and connects, as it is loaded. */
const alone = [
  "test/{console,durability,e2e,examples,local,simulation}/**/*.test.ts",
  "test/**/handler.test.ts",
  "test/shared/log*.test.ts",
  "test/adapters/aws/body-downloads.test.ts",
];

export default defineConfig({
  test: {
    globalSetup: ["test/support/build-once.ts"],
    env: { CDK_VALIDATION: "false", AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true" },
    // No test measures time: these only end what hangs, also on a machine that has much else to do.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    pool: "forks",
    // More than two cores: the longest files mostly wait, for a delay to pass or a browser to draw.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: "alone", include: alone } },
      // The others share what is loaded: half of their time would be for loading it again.
      { extends: true, test: { name: "together", include: ["test/**/*.test.ts"], exclude: alone, isolate: false } },
    ],
  },
});
