import type { ErrorCode } from '#core/errors.ts'

/**
 * Advice to a program after an error: repeat the `same` request later, make an `other` request, or stop (`never`), because only a person or
 * an operator can change the answer.
 */
export type Retry = 'same' | 'other' | 'never'

/** Advice for every error of a call. */
export const RETRY = {
  malformed_body: 'other',
  invalid_cursor: 'other',
  invalid_path: 'other',
  workspace_conflict: 'other',
  unauthenticated: 'never',
  BudgetExceeded: 'never',
  forbidden: 'never',
  policy_denied: 'never',
  frozen: 'never',
  halted: 'never',
  governance_knob: 'never',
  approver_not_allowed: 'never',
  self_approval: 'never',
  not_found: 'other',
  method_not_allowed: 'never',
  run_not_awaiting: 'other',
  gate_resolved: 'other',
  plan_changed: 'other',
  needs_approval: 'never',
  note_required: 'other',
  plan_hash_required: 'other',
  workspace_protected: 'never',
  workspace_archived: 'never',
  run_terminal: 'other',
  conflict: 'same',
  version_conflict: 'other',
  payload_too_large: 'other',
  unsupported_media_type: 'never',
  validation_failed: 'other',
  decision_required: 'other',
  unrecognised_alert: 'other',
  secret_required: 'other',
  invalid_schedule: 'other',
  idempotency_mismatch: 'other',
  rate_limited: 'same',
  not_configured: 'never',
  artifact_mismatch: 'never',
  audit_unavailable: 'same',
  dependency_unavailable: 'same',
  internal: 'never',
} as const satisfies Record<ErrorCode, Retry>
