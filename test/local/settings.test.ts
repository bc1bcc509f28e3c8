import { expect, test } from "vitest";
import { readSettings } from "../../local/settings.js";

test("without variables the defaults hold", () => {
  expect(readSettings({}, "/home/me/relay")).toEqual({
    port: 8787,
    dataDir: "/home/me/relay/.steadyhook",
    allowLoopback: true,
    awsPort: 0,
    jsonLogs: false,
    context: {},
  });
});

test("each variable is read, an empty one counts as absent", () => {
  const environment = {
    PORT: "9000",
    STEADYHOOK_DATA: "/var/relay",
    STEADYHOOK_ALLOW_PRIVATE: "false",
    STEADYHOOK_AWS_PORT: "4566",
    LOG_FORMAT: "",
    STEADYHOOK_CONTEXT: '{"steadyhook:deliverySeconds":30}',
  };

  expect(readSettings(environment, "/home/me")).toEqual({
    port: 9000,
    dataDir: "/var/relay",
    allowLoopback: false,
    awsPort: 4566,
    jsonLogs: false,
    context: { "steadyhook:deliverySeconds": 30 },
  });
});

test.each([
  ["PORT", "abc", 'PORT is "abc": it must be a port number up to 65535.'],
  ["PORT", "70000", 'PORT is "70000": it must be a port number up to 65535.'],
  ["STEADYHOOK_AWS_PORT", "-1", 'STEADYHOOK_AWS_PORT is "-1": it must be a port number up to 65535.'],
  ["STEADYHOOK_ALLOW_PRIVATE", "no", 'STEADYHOOK_ALLOW_PRIVATE is "no": it must be true or false.'],
  ["LOG_FORMAT", "xml", 'LOG_FORMAT is "xml": it must be text or json.'],
  [
    "STEADYHOOK_CONTEXT",
    "[1]",
    'STEADYHOOK_CONTEXT is "[1]": it must be a JSON object, e.g. {"steadyhook:deliverySeconds":30}.',
  ],
])("%s=%s is refused with a sentence", (name, value, sentence) => {
  expect(() => readSettings({ [name]: value }, "/")).toThrow(sentence);
});
