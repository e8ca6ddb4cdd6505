/**
 * Whose doing a refusal is: of the `request` itself, of the `caller`, of `governance` (policies, freezes, halts, caps), of somebody who
 * was faster (`overtaken`, and `over` where nothing can be done any more), of too much at once (`busy`), of `ours`, or of something that
 * is away and comes back by itself (`outage`).
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

/** What it needs is away: the same again, later, may succeed. */
export function isOutage(code: ErrorCode): boolean {
  return ERRORS[code] === 'outage'
}

/** Too much at once, or what it needs is away: it passes by itself. */
export function isPassing(code: ErrorCode): boolean {
  return ERRORS[code] === 'busy' || isOutage(code)
}

/** Nobody was refused: something has failed on our side. */
export function isFailure(code: ErrorCode): boolean {
  return ERRORS[code] === 'ours' || isOutage(code)
}

/** Somebody or something was faster, and what was asked for has no object any more. */
export function isOvertaken(code: ErrorCode): boolean {
  return ERRORS[code] === 'overtaken' || ERRORS[code] === 'over'
}

/** The gate or the run that was asked for has come to its end, or there is none. */
export function isOver(code: ErrorCode): boolean {
  return ERRORS[code] === 'over' || code === 'not_found'
}

/** One violated field: where it stands (JSON Pointer, RFC 6901) and what is wrong with it. */
export interface FieldError {
  pointer: string
  loc: (string | number)[]
  msg: string
  type: string
  /** where it stands in a document, from 1 */
  line?: number
  column?: number
}

export interface ErrorDetails {
  errors?: FieldError[]
  retry_after_s?: number
  [field: string]: unknown
}

/** The one error that crosses layers. `details` become members of the problem document (RFC 9457). */
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
