import type { DomainError, ErrorCode, FieldError } from '#core/errors.ts'

/** Status and title of every error code. A new code does not compile without an entry here. */
export const PROBLEMS = {
  malformed_body: { status: 400, title: 'Malformed body' },
  invalid_cursor: { status: 400, title: 'Invalid cursor' },
  invalid_path: { status: 400, title: 'Invalid path' },
  workspace_conflict: { status: 400, title: 'Two different workspaces named' },
  unauthenticated: { status: 401, title: 'Not authenticated' },
  BudgetExceeded: { status: 402, title: 'Budget exceeded' },
  forbidden: { status: 403, title: 'Forbidden' },
  policy_denied: { status: 403, title: 'Denied by policy' },
  frozen: { status: 403, title: 'Frozen' },
  governance_knob: { status: 403, title: 'Governance cannot be set here' },
  approver_not_allowed: { status: 403, title: 'Not an allowed approver' },
  self_approval: { status: 403, title: 'Self-approval is not allowed' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  run_not_awaiting: { status: 409, title: 'Run is not awaiting approval' },
  gate_resolved: { status: 409, title: 'Gate is already resolved' },
  plan_changed: { status: 409, title: 'Plan has changed' },
  needs_approval: { status: 409, title: 'Approval needed' },
  workspace_protected: { status: 409, title: 'Workspace is protected' },
  workspace_archived: { status: 409, title: 'Workspace is archived' },
  run_terminal: { status: 409, title: 'Run has ended' },
  conflict: { status: 409, title: 'Conflict' },
  version_conflict: { status: 412, title: 'Version conflict' },
  payload_too_large: { status: 413, title: 'Payload too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  validation_failed: { status: 422, title: 'Validation failed' },
  decision_required: { status: 422, title: 'Decision required' },
  note_required: { status: 422, title: 'Note required' },
  plan_hash_required: { status: 422, title: 'Plan hash required' },
  unrecognised_alert: { status: 422, title: 'Unrecognised alert' },
  secret_required: { status: 422, title: 'Secret required' },
  invalid_schedule: { status: 422, title: 'Invalid schedule' },
  idempotency_mismatch: { status: 422, title: 'Idempotency key used for another request' },
  halted: { status: 423, title: 'Halted' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Internal error' },
  not_configured: { status: 501, title: 'Not configured' },
  artifact_mismatch: { status: 502, title: 'Artifact is not what was kept' },
  audit_unavailable: { status: 503, title: 'Audit unavailable' },
  dependency_unavailable: { status: 503, title: 'Dependency unavailable' },
} as const satisfies Record<ErrorCode, { status: number; title: string }>

/** A problem document (RFC 9457). */
export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  instance: string
  code: ErrorCode
  request_id: string
  errors?: FieldError[]
  retry_after_s?: number
  [extension: string]: unknown
}

/** Unknown, foreign and malformed ids must be indistinguishable: one text for all of them. */
const NOT_FOUND_DETAIL = 'Nothing that you may see has this address.'
const INTERNAL_DETAIL = 'Something went wrong on our side. The request id finds it in the log.'
const RETRY_AFTER_S: Partial<Record<ErrorCode, number>> = {
  dependency_unavailable: 2,
  audit_unavailable: 5,
  rate_limited: 1,
}

/** The document for a refusal. What must stay inside (internal messages, why something is not found) is left out. */
export function toProblem(error: DomainError, at: { instance: string; request_id: string }): Problem {
  const { status, title } = PROBLEMS[error.code]
  const secret = error.code === 'internal' || error.code === 'not_found'
  const retryAfter = error.details.retry_after_s ?? RETRY_AFTER_S[error.code]
  const errors = error.details.errors?.map(({ in: part = 'body', loc, ...rest }) => ({ ...rest, loc: [part, ...loc] }))
  const document = {
    type: `/problems/${error.code}`,
    title,
    status,
    detail: error.code === 'internal' ? INTERNAL_DETAIL : error.code === 'not_found' ? NOT_FOUND_DETAIL : error.message,
    instance: at.instance,
    code: error.code,
    request_id: at.request_id,
    ...(retryAfter !== undefined && { retry_after_s: retryAfter }),
  }
  // named first for the order, and last so that no detail replaces them
  return { ...document, ...(secret ? {} : { ...error.details, ...(errors !== undefined && { errors }) }), ...document }
}

/** The problem document as an answer, with `Retry-After` where waiting helps. */
export function problemResponse(error: DomainError, at: { instance: string; request_id: string }): Response {
  const problem = toProblem(error, at)
  const headers = new Headers({ 'content-type': 'application/problem+json', 'cache-control': 'no-store' })
  if (problem.retry_after_s !== undefined) headers.set('retry-after', String(Math.ceil(problem.retry_after_s)))
  if (error.code === 'rate_limited' && typeof error.details['limit'] === 'number') {
    headers.set('ratelimit', `"default";r=0;t=${problem.retry_after_s ?? 1}`)
    headers.set('ratelimit-policy', `"default";q=${error.details['limit']}`)
  }
  if (error.code === 'unauthenticated') headers.set('www-authenticate', 'Bearer error="invalid_token"')
  const allow = error.details['allow']
  if (error.code === 'method_not_allowed' && Array.isArray(allow)) headers.set('allow', allow.join(', '))
  return new Response(JSON.stringify(problem), { status: problem.status, headers })
}

/** Every code, in the order of the table. */
export const PROBLEM_CODES = Object.keys(PROBLEMS).filter(isErrorCode)

function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(PROBLEMS, text)
}
