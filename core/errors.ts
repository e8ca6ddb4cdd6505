/**
 * Classes of errors: `request` (the request itself is wrong), `caller`, `governance` (policies, freezes, halts, caps), `overtaken` (another
 * request won) and `over` (that, and the object has ended), `busy` (too much at once), `ours` (a failure of the service), `outage` (a
 * dependency is unavailable for now).
 */
type ErrorKind = 'request' | 'caller' | 'governance' | 'overtaken' | 'over' | 'busy' | 'ours' | 'outage'

/** Every way a request or a step can be refused. Each edge (HTTP, CLI, workflow) maps the whole union once. */
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
  run_not_awaiting: 'over',
  gate_resolved: 'over',
  plan_changed: 'overtaken',
  needs_approval: 'governance',
  note_required: 'request',
  plan_hash_required: 'request',
  workspace_protected: 'request',
  workspace_archived: 'request',
  run_terminal: 'over',
  conflict: 'overtaken',
  version_conflict: 'overtaken',
  payload_too_large: 'request',
  unsupported_media_type: 'request',
  validation_failed: 'request',
  decision_required: 'request',
  unrecognised_alert: 'request',
  invalid_schedule: 'request',
  idempotency_mismatch: 'request',
  rate_limited: 'busy',
  not_configured: 'ours',
  audit_unavailable: 'outage',
  dependency_unavailable: 'outage',
  internal: 'ours',
} as const satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof ERRORS

/** True for an unavailable dependency: the same request may succeed later. */
export function isOutage(code: ErrorCode): boolean {
  return ERRORS[code] === 'outage'
}

/** Too much at once, or what it needs is away: it passes by itself. */
export function isPassing(code: ErrorCode): boolean {
  return ERRORS[code] === 'busy' || isOutage(code)
}

/** True for a failure of the service, as opposed to a refusal. */
export function isFailure(code: ErrorCode): boolean {
  return ERRORS[code] === 'ours' || isOutage(code)
}

/** True when another request won, or the object has ended. */
export function isOvertaken(code: ErrorCode): boolean {
  return ERRORS[code] === 'overtaken' || ERRORS[code] === 'over'
}

/** True when the gate or the run has ended, or does not exist. */
export function isOver(code: ErrorCode): boolean {
  return ERRORS[code] === 'over' || code === 'not_found'
}

/** A violated field: its place (JSON Pointer, RFC 6901) and what is wrong with it. */
export interface FieldError {
  pointer: string
  loc: (string | number)[]
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
