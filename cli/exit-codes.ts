import type { ErrorCode } from '#core/errors.ts'
import type { ApiProblem } from './client/api-problem.ts'

/** Exit codes after sysexits.h, so that scripts can tell the cases apart. */
export const EXIT = {
  ok: 0,
  failed: 1,
  /** a wrong argument or body */
  usage: 64,
  /** the named object does not exist */
  missing: 66,
  unavailable: 69,
  internal: 70,
  /** locked or changed by another process; look again, or try later */
  conflict: 75,
  denied: 77,
  config: 78,
} as const

const EXIT_CODES = {
  malformed_body: EXIT.usage,
  invalid_cursor: EXIT.usage,
  invalid_path: EXIT.usage,
  workspace_conflict: EXIT.usage,
  unauthenticated: EXIT.denied,
  BudgetExceeded: EXIT.denied,
  forbidden: EXIT.denied,
  policy_denied: EXIT.denied,
  frozen: EXIT.denied,
  halted: EXIT.denied,
  governance_knob: EXIT.denied,
  approver_not_allowed: EXIT.denied,
  self_approval: EXIT.denied,
  not_found: EXIT.missing,
  method_not_allowed: EXIT.usage,
  run_not_awaiting: EXIT.conflict,
  gate_resolved: EXIT.conflict,
  plan_changed: EXIT.conflict,
  needs_approval: EXIT.conflict,
  note_required: EXIT.usage,
  plan_hash_required: EXIT.usage,
  workspace_protected: EXIT.conflict,
  workspace_archived: EXIT.conflict,
  run_terminal: EXIT.conflict,
  conflict: EXIT.conflict,
  version_conflict: EXIT.conflict,
  payload_too_large: EXIT.usage,
  unsupported_media_type: EXIT.usage,
  validation_failed: EXIT.usage,
  decision_required: EXIT.usage,
  unrecognised_alert: EXIT.usage,
  secret_required: EXIT.usage,
  invalid_schedule: EXIT.usage,
  idempotency_mismatch: EXIT.conflict,
  rate_limited: EXIT.conflict,
  not_configured: EXIT.config,
  artifact_mismatch: EXIT.internal,
  audit_unavailable: EXIT.unavailable,
  dependency_unavailable: EXIT.unavailable,
  internal: EXIT.internal,
} satisfies Record<ErrorCode, number>

/** The exit code of a refused command. */
export function exitCodeOf(code: ErrorCode): number {
  return EXIT_CODES[code]
}

/** Returns the exit code of an error of the API; an answer of something else counts by its status. */
export function exitCodeOfProblem({ code, status }: Pick<ApiProblem, 'code' | 'status'>): number {
  if (isErrorCode(code)) return EXIT_CODES[code]
  if (status === 401 || status === 403) return EXIT.denied
  if (status === 404) return EXIT.missing
  return status < 500 ? EXIT.usage : EXIT.unavailable
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(EXIT_CODES, code)
}
