import type { Stack } from "aws-cdk-lib";
import type { Template } from "aws-cdk-lib/assertions";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { HostedZone } from "aws-cdk-lib/aws-route53";
import { describe, expect, test } from "vitest";
import { flat, properties, relayTemplate, resources, sorted } from "./relay-template.js";

const template = relayTemplate();
const certificateArn = "arn:aws:acm:eu-west-1:123456789012:certificate/1";

const domain = (stack: Stack) => ({
  domainName: "hooks.example.com",
  certificate: Certificate.fromCertificateArn(stack, "Certificate", certificateArn),
});

const output = (of: Template, name: string): string | undefined => {
  const outputs = Object.values(of.findOutputs("*", {}));
  const found = outputs.find(({ Description }) => Description.startsWith(`Steadyhook ${name} `));
  return found && flat(found["Value"]);
};

describe("the routes", () => {
  const routes = resources(template, "::Route").map(([, { Properties }]) => Properties);
  const integrations = Object.fromEntries(resources(template, "::Integration"));

  const goesTo = (target: unknown) => {
    const [, id] = /^integrations\/<(.+)>$/.exec(flat(target)) ?? [];
    return flat(integrations[id ?? ""]?.Properties["IntegrationUri"]);
  };

  test("are these, each to its function", () => {
    const shown = routes.map((route) => [route["RouteKey"], goesTo(route["Target"]).replace(/Function.*/, "")]);
    expect(Object.fromEntries(shown)).toEqual({
      "ANY /in/{sourceId}": "<RelayIngress",
      "ANY /in/{sourceId}/{suffix+}": "<RelayIngress",
      "POST /publish/{sourceId}": "<RelayIngress",
      "ANY /admin/{proxy+}": "<RelayAdmin",
    });
  });

  test("ask for a signed request, all but /in", () => {
    const open = routes.filter((route) => route["AuthorizationType"] !== "AWS_IAM");
    expect(sorted(open.map((route) => String(route["RouteKey"])))).toEqual([
      "ANY /in/{sourceId}",
      "ANY /in/{sourceId}/{suffix+}",
    ]);
  });

  test("hand over payload 2.0", () => {
    const formats = Object.values(integrations).map(({ Properties }) => Properties["PayloadFormatVersion"]);
    expect(formats).toEqual(["2.0", "2.0"]);
  });

  test("may call their functions, and no other API may", () => {
    const [apiId] = resources(template, "::ApiGatewayV2::Api").map(([id]) => id);
    const sources = resources(template, "::Lambda::Permission")
      .filter(([, { Properties }]) => Properties["Principal"] === "apigateway.amazonaws.com")
      .map(([, { Properties }]) => flat(Properties["SourceArn"]));
    expect(sources).toHaveLength(4);
    for (const source of sources) expect(source).toContain(`:<${apiId}>/`);
  });
});

describe("the stage", () => {
  test("is the default one, and logs neither path, query nor header", () => {
    const stage = properties(template, "::Stage");
    expect(stage).toMatchObject({ StageName: "$default", AutoDeploy: true });
    const fields = Object.values(JSON.parse(stage.AccessLogSettings.Format) as Record<string, string>);
    expect(fields).toContain("$context.routeKey");
    expect(fields.filter((field) => /path|query|header|protocol|authorizer/i.test(field))).toEqual([]);
  });

  test("is throttled as asked, and not otherwise", () => {
    expect(properties(template, "::Stage").DefaultRouteSettings).toBeUndefined();
    const of = relayTemplate({ throttle: { rateLimit: 200, burstLimit: 400 } });
    expect(properties(of, "::Stage").DefaultRouteSettings).toEqual({
      ThrottlingRateLimit: 200,
      ThrottlingBurstLimit: 400,
    });
  });
});

describe("the name", () => {
  test("is the generated one by default", () => {
    const endpoint = `<${resources(template, "::ApiGatewayV2::Api")[0]?.[0]}.ApiEndpoint>`;
    expect(output(template, "IngressUrl")).toBe(`${endpoint}/in`);
    expect(output(template, "PublishUrl")).toBe(`${endpoint}/publish`);
    expect(output(template, "AdminUrl")).toBe(`${endpoint}/admin`);
    expect(properties(template, "::ApiGatewayV2::Api").DisableExecuteApiEndpoint).toBe(false);
  });

  test("is the custom domain, if there is one", () => {
    const of = relayTemplate((stack) => ({ domain: domain(stack) }));
    expect(properties(of, "::DomainName")).toMatchObject({
      DomainName: "hooks.example.com",
      DomainNameConfigurations: [{ CertificateArn: certificateArn, SecurityPolicy: "TLS_1_2" }],
    });
    expect(resources(of, "::ApiMapping")).toHaveLength(1);
    expect(output(of, "AdminUrl")).toMatch(/^https:\/\/<RelayHttpApiDomainName\w+>\/admin$/);
    expect(output(of, "DomainTarget")).toMatch(/RegionalDomainName/);
    expect(resources(of, "::RecordSet")).toEqual([]);
  });

  test("gets an alias record in the hosted zone, if that is given", () => {
    const of = relayTemplate((stack) => {
      const zone = { hostedZoneId: "Z1", zoneName: "example.com" };
      return {
        domain: { ...domain(stack), hostedZone: HostedZone.fromHostedZoneAttributes(stack, "Zone", zone) },
      };
    });
    expect(properties(of, "::RecordSet")).toMatchObject({ Name: "hooks.example.com.", Type: "A", HostedZoneId: "Z1" });
  });

  test("is only the custom domain with disableDefaultEndpoint", () => {
    const of = relayTemplate((stack) => ({ domain: domain(stack), disableDefaultEndpoint: true }));
    expect(properties(of, "::ApiGatewayV2::Api").DisableExecuteApiEndpoint).toBe(true);
  });

  test("shown to providers is publicUrl, while signed calls keep the API's own", () => {
    const of = relayTemplate({ publicUrl: "https://edge.example.com/hooks/" });
    expect(output(of, "IngressUrl")).toBe("https://edge.example.com/hooks/in");
    expect(output(of, "AdminUrl")).toMatch(/ApiEndpoint>\/admin$/);
  });
});
