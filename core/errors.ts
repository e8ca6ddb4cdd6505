/** Every way a request or a step can be refused. Each edge (HTTP, CLI, workflow) maps the whole union once. */
export type ErrorCode =
  | 'malformed_body'
  | 'invalid_cursor'
  | 'invalid_path'
  | 'workspace_conflict'
  | 'unauthenticated'
  | 'BudgetExceeded'
  | 'forbidden'
  | 'policy_denied'
  | 'frozen'
  | 'halted'
  | 'approver_not_allowed'
  | 'self_approval'
  | 'not_found'
  | 'method_not_allowed'
  | 'run_not_awaiting'
  | 'gate_resolved'
  | 'plan_changed'
  | 'needs_approval'
  | 'note_required'
  | 'plan_hash_required'
  | 'workspace_protected'
  | 'workspace_archived'
  | 'run_terminal'
  | 'conflict'
  | 'version_conflict'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'validation_failed'
  | 'decision_required'
  | 'unrecognised_alert'
  | 'invalid_schedule'
  | 'idempotency_mismatch'
  | 'rate_limited'
  | 'not_configured'
  | 'audit_unavailable'
  | 'dependency_unavailable'
  | 'internal'

/** One violated field: where it stands (JSON Pointer, RFC 6901) and what is wrong with it. */
export interface FieldError {
  pointer: string
  loc: (string | number)[]
  msg: string
  type: string
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
