/**
 * Classes of errors: `request` (the request itself is wrong), `caller`, `governance` (policies, freezes, halts, caps), `conflict` (another
 * request won), `ended` (the object has ended), `throttled` (too much at once), `failure` (of the service itself), `outage` (a
 * dependency is unavailable for now).
 */
type ErrorKind = 'request' | 'caller' | 'governance' | 'conflict' | 'ended' | 'throttled' | 'failure' | 'outage'

/** Every error of a request, which a step can fail with as well. Each edge (HTTP, CLI, workflow) maps the whole union once. */
const ERRORS = {
  malformed_body: 'request',
  invalid_cursor: 'request',
  invalid_path: 'request',
  workspace_conflict: 'request',
  unauthenticated: 'caller',
  BudgetExceeded: 'governance',
  forbidden: 'caller',
  policy_denied: 'governance',
  frozen: 'governance',
  halted: 'governance',
  governance_knob: 'governance',
  approver_not_allowed: 'caller',
  self_approval: 'caller',
  not_found: 'request',
  method_not_allowed: 'request',
  run_not_awaiting: 'ended',
  gate_resolved: 'ended',
  plan_changed: 'conflict',
  needs_approval: 'governance',
  note_required: 'request',
  plan_hash_required: 'request',
  workspace_protected: 'request',
  workspace_archived: 'request',
  run_terminal: 'ended',
  conflict: 'conflict',
  version_conflict: 'conflict',
  payload_too_large: 'request',
  unsupported_media_type: 'request',
  validation_failed: 'request',
  decision_required: 'request',
  unrecognised_alert: 'request',
  secret_required: 'request',
  invalid_schedule: 'request',
  idempotency_mismatch: 'request',
  rate_limited: 'throttled',
  not_configured: 'failure',
  artifact_mismatch: 'failure',
  audit_unavailable: 'outage',
  dependency_unavailable: 'outage',
  internal: 'failure',
} as const satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof ERRORS

/** True for an unavailable dependency: the same request may succeed later. */
export function isOutage(code: ErrorCode): boolean {
  return ERRORS[code] === 'outage'
}

/** True for a rate limit or an unavailable dependency: it passes without action. */
export function isTransient(code: ErrorCode): boolean {
  return ERRORS[code] === 'throttled' || isOutage(code)
}

/** True for a failure of the service, as opposed to a refusal. */
export function isFailure(code: ErrorCode): boolean {
  return ERRORS[code] === 'failure' || isOutage(code)
}

/** True when another request won, or the object has ended. */
export function isConflict(code: ErrorCode): boolean {
  return ERRORS[code] === 'conflict' || ERRORS[code] === 'ended'
}

/** True when the gate or the run has ended, or does not exist. */
export function isEnded(code: ErrorCode): boolean {
  return ERRORS[code] === 'ended' || code === 'not_found'
}

/** A violated field: its place (JSON Pointer, RFC 6901) and what is wrong with it. */
export interface FieldError {
  pointer: string
  /** the same place as a list */
  loc: (string | number)[]
  /** the part of the request that it is in, where that is not the body */
  in?: string
  msg: string
  type: string
  /** line in a document, from 1 */
  line?: number
  column?: number
}

export interface ErrorDetails {
  errors?: FieldError[]
  retry_after_s?: number
  [field: string]: unknown
}

/** The error that every layer throws. `details` become members of the problem document (RFC 9457). */
export class DomainError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options)
    this.name = 'DomainError'
    this.code = code
    this.details = details
  }
}
