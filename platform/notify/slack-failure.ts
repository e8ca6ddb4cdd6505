import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api'
import { DomainError } from '#core/errors.ts'
import type { SendResult } from '#core/notify/types.ts'
import { OperatorError } from '#core/operator.ts'
import { retryAfterMs } from '#core/time/retry-after.ts'

/** Errors of the Web API that pass by themselves. */
const PASSING = new Set([
  'ratelimited',
  'rate_limited',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'team_added_to_org',
])

/** A failure of the Slack client as the outcome of a delivery. */
export function slackFailure(error: unknown, now_ms: number): SendResult {
  if (error instanceof WebAPIRateLimitedError) {
    return {
      ok: false,
      retryable: true,
      detail: 'Slack asks to slow down',
      retry_after_ms: Math.max(error.retryAfter, 0) * 1_000,
    }
  }
  if (error instanceof WebAPIPlatformError) return refused(String(error.data.error))
  if (error instanceof WebAPIHTTPError) {
    const { statusCode } = error
    const retry_after_ms = retryAfterMs(error.headers, now_ms)
    return {
      ok: false,
      retryable: statusCode >= 500 || statusCode === 408,
      detail: `Slack answered ${statusCode}`,
      ...(retry_after_ms !== undefined && { retry_after_ms }),
    }
  }
  if (error instanceof WebAPIRequestError) {
    const { original } = error
    const isKnown = original instanceof OperatorError
    const code = isKnown ? original.code : 'network error'
    return { ok: false, retryable: isKnown ? original.retryable : true, detail: `Slack cannot be reached (${code})` }
  }
  if (error instanceof DomainError || !isMissingRetryHeader(error)) throw error
  return { ok: false, retryable: true, detail: 'Slack asks to slow down' }
}

/** An error that is no identifier is the body of a gateway that speaks something else. */
function refused(code: string): SendResult {
  if (!/^[a-z0-9_]{1,80}$/.test(code)) {
    return { ok: false, retryable: true, detail: 'Slack answered with something that is not its Web API' }
  }
  return { ok: false, retryable: PASSING.has(code), detail: `Slack refused: ${code}` }
}

/** The library reports 429 without a readable Retry-After as a plain error. */
function isMissingRetryHeader(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Retry header did not contain a valid timeout')
}
