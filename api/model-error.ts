import type { DomainError } from '#core/errors.ts'
import { problemResponse, toProblem } from './problem.ts'

interface ModelErrorBody {
  error: { message: string; type: string; param: string | null; code: string }
}

/** Paths whose callers speak the format of OpenAI. */
export function isModelPath(path: string): boolean {
  return /^\/v1(\/|$)/.test(path)
}

/** A refusal in the format of OpenAI, with what tells its clients whether to try again by themselves. */
export function modelErrorResponse(error: DomainError, at: { instance: string; request_id: string }): Response {
  const { status, headers } = problemResponse(error, at)
  headers.set('content-type', 'application/json')
  headers.set('x-should-retry', String(isWorthRepeating(status, error)))
  return new Response(JSON.stringify(toModelError(error)), { status, headers })
}

export function toModelError(error: DomainError): ModelErrorBody {
  const { status, detail, code } = toProblem(error, { instance: '', request_id: '' })
  const { model, errors } = error.details
  const unknown = code === 'not_found' && typeof model === 'string'
  const place = errors?.[0]?.loc.join('.')
  return {
    error: {
      message: unknown ? error.message : detail,
      type: typeOf(status),
      param: unknown ? 'model' : place === undefined || place === '' ? null : place,
      code: unknown ? 'model_not_found' : code === 'BudgetExceeded' ? 'budget_exceeded' : code,
    },
  }
}

/** Clients of OpenAI repeat 408, 409, 429 and 5xx unless told otherwise. After a possible charge a person decides about a repeat. */
function isWorthRepeating(status: number, { details }: DomainError): boolean {
  return (status === 429 || status === 503) && details['may_be_spent'] !== true
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 402) return 'insufficient_quota'
  if (status === 403) return 'permission_error'
  if (status === 429) return 'rate_limit_error'
  return status < 500 ? 'invalid_request_error' : 'api_error'
}
