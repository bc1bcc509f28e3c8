import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { withNulls } from "../../cli/option-values.js";
import { addVerificationOptions, verificationOf } from "../../cli/verification-options.js";
import { silentIo } from "./silent-io.js";

const io = silentIo({ env: { KEY: "a key" } });

function said(...args: string[]) {
  const command = addVerificationOptions(new Command(), "; none takes it away").exitOverride();
  return verificationOf(withNulls(command.parse(args, { from: "user" }).opts()), io, undefined);
}

describe("options of a verification", () => {
  it("become the document's fields, and nothing that was not said", async () => {
    expect(await said()).toBeUndefined();
    expect(await said("--scheme", "twilio", "--secret", "env:KEY", "--public-url", "https://a.example/b")).toEqual({
      scheme: "twilio",
      secrets: ["a key"],
      publicUrl: "https://a.example/b",
    });
    expect(await said("--scheme", "header-token", "--token-header", "x-token")).toEqual({
      scheme: "header-token",
      headerToken: { header: "x-token" },
    });
  });

  it("of the generic scheme lie under hmac", async () => {
    const template = ["--hmac-content", "{id}.{timestamp}.{body}", "--hmac-id-header", "x-id"];
    const time = ["--hmac-timestamp-header", "x-time", "--hmac-timestamp-unit", "milliseconds"];
    const rest = ["--hmac-covers", "decoded", "--secret-encoding", "hex", "--tolerance-seconds", "2m"];
    expect(await said("--hmac-header", "x-sig", ...template, ...time, ...rest)).toEqual({
      toleranceSeconds: 120,
      secretEncoding: "hex",
      hmac: {
        header: "x-sig",
        content: "{id}.{timestamp}.{body}",
        timestampHeader: "x-time",
        timestampUnit: "milliseconds",
        idHeader: "x-id",
        covers: "decoded",
      },
    });
  });

  it("are taken away by none; --scheme none takes no other", async () => {
    expect(await said("--tolerance-seconds", "none")).toEqual({ toleranceSeconds: null });
    expect(await said("--scheme", "none")).toBeNull();
    await expect(said("--scheme", "none", "--public-url", "none")).rejects.toThrow("takes no other option");
  });
});
