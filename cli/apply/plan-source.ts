import type { SourceView } from "../../functions/app/admin/view-schemas.js";
import type { FileSource } from "./apply-schema.js";
import { differences } from "./difference.js";
import { keptByAnother, type PlanOptions } from "./plan-options.js";
import { secretChange } from "./secrets.js";
import { change, creation, type Findings } from "./step.js";

/** What it takes to make one source, without its subscriptions, as the file says. */
export function planSource(
  wanted: FileSource,
  found: SourceView | undefined,
  path: string,
  options: PlanOptions,
): Findings {
  const { sourceId } = wanted;
  const subject = { kind: "source", name: sourceId, path } as const;
  const document = wantedDocument(wanted, options.owner);
  if (found === undefined) {
    return creation(subject, "/sources", { sourceId, ...withSecrets(document, wanted, path, options) });
  }
  const foreign = keptByAnother(subject, found.managedBy, options);
  if (foreign !== null) return foreign;
  const changes = differences(storedDocument(found), document);
  const secretChanges = changesOfSecrets(wanted, found, changes, options);
  const body = secretChanges.length === 0 ? document : withSecrets(document, wanted, path, options);
  const request = {
    method: "PUT",
    path: `/sources/${encodeURIComponent(sourceId)}`,
    body,
    ifMatch: found.version,
  } as const;
  return change(subject, [...changes, ...secretChanges], request);
}

/** Another way of verification takes its secrets along; a token is sent where there is none yet. */
function changesOfSecrets(
  { verification, handshake }: FileSource,
  found: SourceView,
  changes: ReturnType<typeof differences>,
  { secrets, updateSecrets }: PlanOptions,
): ReturnType<typeof differences> {
  const wanted = secrets.count(verification?.secrets ?? []);
  const stored = found.verification?.secrets.length ?? 0;
  const otherVerification = changes.some(({ field }) => field.startsWith("verification"));
  const token = handshake?.kind === "meta" && handshake.verifyToken !== undefined ? 1 : 0;
  const storedToken = found.handshake?.kind === "meta" ? 1 : 0;
  return [
    ...secretChange("verification.secrets", wanted, stored, updateSecrets || otherVerification),
    ...secretChange("handshake.verifyToken", token, storedToken, updateSecrets),
  ];
}

type SourceDocument = ReturnType<typeof wantedDocument>;

/** The request that the file stands for, secrets apart. */
function wantedDocument(source: FileSource, managedBy: string) {
  const { description, verification, handshake, answer, dedupe, eventType } = source;
  return {
    description,
    verification: verification && withoutSecrets(verification),
    handshake: handshake && { kind: handshake.kind },
    answer: answer ?? "event-id",
    dedupe,
    eventType,
    managedBy,
  };
}

/** The request that would give the stored source, secrets apart. */
function storedDocument(source: SourceView) {
  const { description, verification, handshake, answer, dedupe, eventType, managedBy } = source;
  return {
    description,
    verification: verification && withoutSecrets(verification),
    handshake: handshake && { kind: handshake.kind },
    answer,
    dedupe,
    eventType,
    managedBy,
  };
}

function withoutSecrets<Fields extends { readonly secrets?: unknown }>(verification: Fields): Omit<Fields, "secrets"> {
  const { secrets: _apart, ...rest } = verification;
  return rest;
}

function withSecrets(document: SourceDocument, source: FileSource, path: string, { secrets }: PlanOptions) {
  const listed = source.verification?.secrets ?? [];
  const values = listed.map((secret, index) => secrets.read(secret, `${path}.verification.secrets[${index}]`));
  const { verification, handshake } = document;
  const token = source.handshake?.kind === "meta" ? source.handshake.verifyToken : undefined;
  return {
    ...document,
    verification: values.length === 0 ? verification : { ...verification, secrets: values },
    handshake:
      token === undefined
        ? handshake
        : { kind: "meta", verifyToken: secrets.read(token, `${path}.handshake.verifyToken`) },
  };
}
