import { toJsonSchemaDefs } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import { filterJsonSchema, isFilterSchema } from "../../app/admin/filter-schema.js";
import { policyPreviewView } from "../../app/admin/policy-preview-view.js";
import {
  replayChangeSchema,
  replayInputSchema,
  replayJobSchema,
  testEventSchema,
} from "../../app/admin/replay-schemas.js";
import { sampleReport, sampleSchema } from "../../app/admin/sample-schemas.js";
import {
  limit,
  policyPreviewSchema,
  rotationSchema,
  sourceSchema,
  subscriptionSchema,
} from "../../app/admin/schemas.js";
import {
  auditEntryView,
  deliveryView,
  dryRunView,
  erasureView,
  eventSummaryView,
  eventView,
  faultSummaryView,
  faultView,
  pageOf,
  problemDocument,
  replayView,
  sourceView,
  statsView,
  subscriptionView,
  testEventView,
  verificationReport,
} from "../../app/admin/view-schemas.js";

/** JSON Schema 2020-12, as OpenAPI 3.1 takes it. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** What the API answers, by the name in the document. */
export const answerSchemas = {
  Source: sourceView,
  SourcePage: pageOf(sourceView),
  SampleReport: sampleReport,
  Subscription: subscriptionView,
  SubscriptionPage: pageOf(subscriptionView),
  Delivery: deliveryView,
  DeliveryPage: pageOf(deliveryView),
  Event: eventView,
  EventSummary: eventSummaryView,
  EventPage: pageOf(eventSummaryView),
  VerificationReport: verificationReport,
  Fault: faultView,
  FaultSummary: faultSummaryView,
  FaultPage: pageOf(faultSummaryView),
  PolicyPreview: policyPreviewView,
  Stats: statsView,
  Replay: replayView,
  ReplayPage: pageOf(replayView),
  DryRun: dryRunView,
  TestEvent: testEventView,
  Erasure: erasureView,
  AuditPage: pageOf(auditEntryView),
  Problem: problemDocument,
};

const inputSchemas = {
  SourceInput: sourceSchema,
  SampleInput: sampleSchema,
  SubscriptionInput: subscriptionSchema,
  Rotation: rotationSchema,
  PolicyPreviewInput: policyPreviewSchema,
  ReplayInput: replayInputSchema,
  ReplayJobInput: replayJobSchema,
  ReplayChange: replayChangeSchema,
  TestEventInput: testEventSchema,
};

export type AnswerName = keyof typeof answerSchemas | "Accepted" | "OpenApi";
export type InputName = keyof typeof inputSchemas | "SourcePatch" | "SubscriptionPatch" | "Filter";

export const schemaRef = (name: AnswerName | InputName): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** Every named schema of the document. */
export function componentSchemas(): Readonly<Record<AnswerName | InputName, JsonSchema>> {
  const answers = definitions(answerSchemas);
  const inputs = definitions(inputSchemas);
  const opened = Object.entries(answers).map(([name, schema]) => [name, openToNewFields(schema)]);
  return {
    ...(Object.fromEntries(opened) as Record<keyof typeof answerSchemas, JsonSchema>),
    Accepted: {
      type: "object",
      properties: { eventId: { type: "string" } },
      required: ["eventId"],
    },
    OpenApi: { type: "object", description: "This document." },
    ...(inputs as Record<keyof typeof inputSchemas, JsonSchema>),
    SourcePatch: mergePatchOf(inputs["SourceInput"] as JsonSchema),
    SubscriptionPatch: mergePatchOf(inputs["SubscriptionInput"] as JsonSchema),
    Filter: filterJsonSchema(filterRef),
  };
}

const filterRef = "#/components/schemas/Filter";

function definitions(schemas: Readonly<Record<string, GenericSchema>>): Readonly<Record<string, JsonSchema>> {
  return toJsonSchemaDefs(schemas, {
    ...conversion,
    overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
    overrideSchema: ({ valibotSchema }) => (isFilterSchema(valibotSchema) ? { $ref: filterRef } : null),
  }) as Readonly<Record<string, JsonSchema>>;
}

/** What JSON Schema cannot say (`check`, `transform`, `finite`) is left out: the server is stricter, never laxer. */
const conversion = { target: "draft-2020-12", typeMode: "input", errorMode: "ignore" } as const;

/** A query parameter's schema. */
export function parameterSchema(schema: GenericSchema): JsonSchema {
  // A query is text, which a client need not know: the number it stands for.
  if (schema === limit) return { type: "integer", minimum: 1, maximum: 100, default: 50 };
  const { value } = definitions({ value: schema });
  return value as JsonSchema;
}

/** Answers may get new fields: a client that refuses those would break by an update. */
function openToNewFields(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(openToNewFields);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).filter(([name, value]) => name !== "additionalProperties" || value !== false);
  return Object.fromEntries(entries.map(([name, value]) => [name, openToNewFields(value)]));
}

/** The same document as an RFC 7396 patch: nothing is required, null takes a field away. */
function mergePatchOf(schema: JsonSchema): JsonSchema {
  const { properties, anyOf, required: _nothing, default: _stored, ...rest } = schema;
  if (Array.isArray(anyOf)) return { ...rest, anyOf: anyOf.map(mergePatchOf) };
  if (typeof properties !== "object" || properties === null) return { ...rest };
  const patched = Object.entries(properties).map(([name, value]) => [name, nullable(mergePatchOf(value))]);
  return { ...rest, properties: Object.fromEntries(patched) };
}

function nullable(schema: JsonSchema): JsonSchema {
  const { anyOf } = schema;
  const isNull = (option: JsonSchema) => option["type"] === "null";
  if (isNull(schema) || (Array.isArray(anyOf) && anyOf.some(isNull))) return schema;
  return { anyOf: [schema, { type: "null" }] };
}
