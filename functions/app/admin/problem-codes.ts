/** Codes of the admin API's problem documents: stable API, listed in docs/http-api.md. */
export const problemCodes = {
  malformed_json: { statuses: [400], meaning: "The body is not JSON." },
  invalid_request: { statuses: [400], meaning: "Fields or parameters are wrong: `errors` names each, why, and a fix." },
  invalid_cursor: { statuses: [400], meaning: "The cursor is not of this list: leave it out to start again." },
  too_many_subscriptions: {
    statuses: [400],
    meaning: "The list has no index for so many: the text says how to narrow it.",
  },
  too_many_sources: { statuses: [400], meaning: "The same, for sources." },
  not_found: { statuses: [404], meaning: "There is nothing at this path." },
  unknown_source: { statuses: [404], meaning: "There is no such source." },
  unknown_subscription: { statuses: [404], meaning: "There is no such subscription, or it is deleted." },
  unknown_secret: { statuses: [404], meaning: "The subscription has no such signing secret, or its time is over." },
  unknown_delivery: { statuses: [404], meaning: "There is no such delivery, or it has expired." },
  unknown_fault: { statuses: [404], meaning: "There is no such fault, or it was sent back and has expired." },
  unknown_event: { statuses: [404], meaning: "This is no id of an event." },
  not_yet_processed: {
    statuses: [404],
    meaning: "The event is not stored: still in the queue, or expired, or never accepted.",
  },
  content_expired: { statuses: [404], meaning: "The event's headers and body are no longer stored." },
  method_not_allowed: { statuses: [405], meaning: "The path takes other methods: `Allow` names them." },
  already_exists: {
    statuses: [409, 412],
    meaning: "There is such an object already (412: and If-None-Match says that there must be none).",
  },
  name_taken: { statuses: [409], meaning: "Another subscription of the source has this name." },
  has_subscriptions: { statuses: [409], meaning: "The source still has subscriptions: delete them first." },
  last_secret: { statuses: [409], meaning: "The signing secret is the one that stays: rotate to replace it." },
  too_many_secrets: { statuses: [409], meaning: "The subscription has 10 live signing secrets." },
  already_redriven: { statuses: [409], meaning: "The fault was sent back, and has not failed again." },
  changed_meanwhile: { statuses: [409], meaning: "Somebody else is changing the same object: try again." },
  version_mismatch: {
    statuses: [412],
    meaning: "If-Match names another version than the stored one, which `ETag` names.",
  },
  body_too_large: { statuses: [413], meaning: "The body has more than 256 KB." },
  unsupported_media_type: {
    statuses: [415],
    meaning: "Writes are application/json (or application/merge-patch+json).",
  },
  internal_error: { statuses: [500], meaning: "The relay itself failed; its log says why." },
} as const satisfies Readonly<Record<string, { readonly statuses: readonly number[]; readonly meaning: string }>>;
