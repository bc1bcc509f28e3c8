import { DomainName, SecurityPolicy } from "aws-cdk-lib/aws-apigatewayv2";
import { ARecord, RecordTarget } from "aws-cdk-lib/aws-route53";
import { ApiGatewayv2DomainProperties } from "aws-cdk-lib/aws-route53-targets";
import { Construct } from "constructs";
import type { DomainSettings } from "./steadyhook-props.js";

/** A custom domain name, with its alias record when the zone is known. */
export class Domain extends Construct {
  readonly name: DomainName;

  constructor(scope: Construct, id: string, { domainName, certificate, hostedZone }: DomainSettings) {
    super(scope, id);
    this.name = new DomainName(this, "Name", { domainName, certificate, securityPolicy: SecurityPolicy.TLS_1_2 });
    if (!hostedZone) return;
    const target = RecordTarget.fromAlias(
      new ApiGatewayv2DomainProperties(this.name.regionalDomainName, this.name.regionalHostedZoneId),
    );
    new ARecord(this, "Alias", { zone: hostedZone, recordName: `${domainName}.`, target });
  }
}
