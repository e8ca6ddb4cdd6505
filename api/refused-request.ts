import type { AuditCategory } from '#core/audit/types.ts'
import type { DomainError, ErrorCode } from '#core/errors.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { ANONYMOUS } from '#services/auth/authenticator.ts'
import { isOnRecord, type RefusalReport } from '#services/refusals/record-refusals.ts'
import { type ApiContext, channelOf } from './context.ts'
import { clientIp } from './request-origin.ts'

/** Error codes that deny a permission, with their category; other errors report that something is impossible. */
const REFUSALS = {
  unauthenticated: 'auth',
  forbidden: 'auth',
  rate_limited: 'auth',
  workspace_conflict: 'auth',
  workspace_archived: 'auth',
  workspace_protected: 'admin',
  policy_denied: 'policy_decision',
  frozen: 'policy_decision',
  halted: 'policy_decision',
  governance_knob: 'config',
  BudgetExceeded: 'policy_decision',
  needs_approval: 'approval',
  approver_not_allowed: 'approval',
  self_approval: 'approval',
  // only a workspace that the caller may not enter; see `isForeign`
  not_found: 'auth',
  malformed_body: null,
  invalid_cursor: null,
  invalid_path: null,
  method_not_allowed: null,
  run_not_awaiting: null,
  gate_resolved: null,
  plan_changed: null,
  note_required: null,
  plan_hash_required: null,
  run_terminal: null,
  conflict: null,
  version_conflict: null,
  payload_too_large: null,
  unsupported_media_type: null,
  validation_failed: null,
  decision_required: null,
  unrecognised_alert: null,
  secret_required: null,
  invalid_schedule: null,
  idempotency_mismatch: null,
  not_configured: null,
  artifact_mismatch: null,
  audit_unavailable: null,
  dependency_unavailable: null,
  internal: null,
} as const satisfies Record<ErrorCode, AuditCategory | null>

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Returns the record of a refused write, or of a read beyond an API key; undefined for other requests, other errors, and recorded refusals.
 * It names the route and never the input; all unknown callers count as one.
 */
export function refusedRequest(c: ApiContext, error: DomainError): RefusalReport | undefined {
  const category = REFUSALS[error.code]
  const { required_role, required_scope } = error.details
  if (category === null || isOnRecord(error)) return undefined
  // a program that reads beyond its key's scopes is recorded too
  if (READS.has(c.req.method) && required_scope === undefined) return undefined
  if (error.code === 'not_found' && !isForeign(error)) return undefined
  const route = c.get('route')
  const actor = c.get('actor') ?? ANONYMOUS
  const ip = clientIp(c)
  const operation = route?.operationId ?? 'none'
  return {
    kind: error.code,
    draft: {
      category,
      action: 'request.refused',
      workspace_id: c.get('ctx')?.workspace_id ?? homeOf(actor.workspaces),
      actor: { type: actor.type, id: actor.id, auth: actor.auth, ...(ip !== undefined && { ip }) },
      channel: c.get('ctx')?.channel ?? channelOf(actor),
      subject: c.get('asked') ?? { type: 'operation', id: operation },
      data: {
        code: error.code,
        ...(isForeign(error) ? { why: 'foreign_workspace' } : {}),
        // before routing, `forbidden` only means a page of another origin
        ...(error.code === 'forbidden' && route === undefined ? { why: 'foreign_origin' } : {}),
        operation,
        method: c.req.method,
        route: route?.path ?? null,
        ...(typeof required_role === 'string' ? { required_role } : {}),
        ...(typeof required_scope === 'string' ? { required_scope } : {}),
      },
    },
  }
}

function isForeign({ details }: DomainError): boolean {
  return details['refused'] === 'workspace'
}

function homeOf(workspaces: '*' | string[]): string {
  return workspaces === '*' ? DEFAULT_WORKSPACE_ID : (workspaces[0] ?? DEFAULT_WORKSPACE_ID)
}
