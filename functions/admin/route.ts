import type { AdminContext } from "../app/admin/context.js";
import type { HttpAnswer } from "./answer.js";
import type { OperationName } from "./openapi/operations.js";
import type { AdminRequest } from "./request.js";

/**
 * One operation: its name in the OpenAPI document (where `openapi/operations.ts` says the rest of it), what it is called
 * in log and audit trail, and how it is run, with the path's parameters.
 */
export interface Route {
  readonly operation: OperationName;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  /**
   * Set on every route that writes: each such call leaves one line in the log, and an entry in the audit trail. Null of a
   * request that only asks what would happen.
   */
  readonly writes?: string | ((request: AdminRequest) => string | null);
  /** Set on every route that takes query parameters, which it checks itself. Every other one refuses them. */
  readonly takesParameters?: true;
  readonly run: (context: AdminContext, request: AdminRequest, id: string, name: string) => Promise<HttpAnswer>;
}
