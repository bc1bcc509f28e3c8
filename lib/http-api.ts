import { AccessLogFormat } from "aws-cdk-lib/aws-apigateway";
import {
  HttpApi as GatewayApi,
  HttpMethod,
  HttpNoneAuthorizer,
  HttpStage,
  LogGroupLogDestination,
} from "aws-cdk-lib/aws-apigatewayv2";
import { HttpIamAuthorizer } from "aws-cdk-lib/aws-apigatewayv2-authorizers";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { acknowledge } from "./acknowledge.js";
import { defined } from "./defined.js";
import { Domain } from "./domain.js";
import type { FunctionContext, RelayFunction } from "./relay-function.js";

export interface HttpApiProps extends FunctionContext {
  readonly ingress: RelayFunction;
  readonly admin: RelayFunction;
}

/** One line per request. No path, query or header: a suffix, a token in a query or a signature may be secret. */
const accessLogFormat = JSON.stringify({
  requestId: "$context.requestId",
  time: "$context.requestTime",
  routeKey: "$context.routeKey",
  sourceIp: "$context.identity.sourceIp",
  status: "$context.status",
  responseLength: "$context.responseLength",
  latencyMs: "$context.responseLatency",
  integrationStatus: "$context.integrationStatus",
  error: "$context.error.message",
});

/** The HTTP surface. Every route asks for a signed request unless it says otherwise; only `/in` says so. */
export class HttpApi extends Construct {
  readonly api: GatewayApi;
  readonly domain: Domain | undefined;
  /** Base URL of the API's own name (the custom domain if there is one), without a slash at the end. */
  readonly url: string;

  constructor(scope: Construct, id: string, { ingress, admin, props, settings }: HttpApiProps) {
    super(scope, id);
    this.api = new GatewayApi(this, "Api", {
      // Shown in the console, need not be unique.
      apiName: scope.node.path,
      description: "Steadyhook: /in for providers, /publish and /admin for signed calls",
      createDefaultStage: false,
      disableExecuteApiEndpoint: props.disableDefaultEndpoint ?? false,
      defaultAuthorizer: new HttpIamAuthorizer(),
    });
    this.domain = props.domain && new Domain(this, "Domain", props.domain);
    const accessLog = new LogGroup(this, "AccessLog", {
      retention: settings.logRetention,
      removalPolicy: settings.removalPolicy,
    });
    new HttpStage(this, "Stage", {
      httpApi: this.api,
      autoDeploy: true,
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLog),
        format: AccessLogFormat.custom(accessLogFormat),
      },
      ...defined({ throttle: props.throttle, domainMapping: this.domain && { domainName: this.domain.name } }),
    });
    this.addRoutes(ingress, admin);
    this.url = this.domain ? `https://${this.domain.name.name}` : this.api.apiEndpoint;
  }

  private addRoutes(ingress: RelayFunction, admin: RelayFunction): void {
    const toIngress = new HttpLambdaIntegration("Ingress", ingress);
    const toAdmin = new HttpLambdaIntegration("Admin", admin);
    // Providers cannot sign with IAM: the ingress function verifies by the source's own scheme.
    const open = new HttpNoneAuthorizer();
    const anyMethod = [HttpMethod.ANY];
    for (const path of ["/in/{sourceId}", "/in/{sourceId}/{suffix+}"]) {
      const routes = this.api.addRoutes({ path, methods: anyMethod, integration: toIngress, authorizer: open });
      for (const route of routes) {
        acknowledge(
          route,
          "AwsSolutions-APIG4",
          "Providers cannot sign with IAM; each source has its own verification.",
        );
      }
    }
    this.api.addRoutes({ path: "/publish/{sourceId}", methods: [HttpMethod.POST], integration: toIngress });
    this.api.addRoutes({ path: "/admin/{proxy+}", methods: anyMethod, integration: toAdmin });
  }
}
