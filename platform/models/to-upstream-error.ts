import { APICallError, InvalidResponseDataError } from '@ai-sdk/provider'
import { DomainError } from '#core/errors.ts'
import { isObject } from '#core/json/json.ts'
import { foreignJsonIn } from '#core/json/parse-json.ts'
import { storableText } from '#core/json/storable-json.ts'
import { UpstreamError } from '#core/models/upstream-error.ts'
import { OperatorError } from '#core/operator.ts'
import { cutText } from '#core/text/text.ts'
import { retryAfterMs } from '#core/time/retry-after.ts'

/** Statuses of a provider that has not begun. */
const NOT_BEGUN = new Set([429, 503, 529])
/** A proxy may have given up on a provider that still works. */
const REQUEST_TIMEOUT = 408
/** Codes of connections that were never made. */
const NEVER_SENT = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/

/**
 * Classifies an error between us and a provider, for judging and charging. Our own refusals pass unchanged. A provider may quote our key,
 * or the address, which may contain one: both are redacted.
 */
export function toUpstreamError(
  error: unknown,
  { signal, secrets }: { signal: AbortSignal; secrets: readonly string[] },
): UpstreamError | DomainError {
  if (error instanceof DomainError) return error
  if (error instanceof UpstreamError) return withoutSecrets(error, secrets)
  if (signal.aborted) {
    if (signal.reason instanceof UpstreamError) return signal.reason
    const timedOut = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError'
    return timedOut
      ? new UpstreamError(
          'lost',
          'the provider has not answered in time: raise `timeout` of the model where it needs longer',
          { cause: error },
        )
      : new UpstreamError('aborted', 'the caller disconnected', { cause: error })
  }
  if (APICallError.isInstance(error) && error.statusCode !== undefined && error.statusCode >= 400)
    return ofStatus(error, { status: error.statusCode, secrets })
  const failure = failureIn(error)
  if (failure !== undefined) return withoutSecrets(failure, secrets)
  for (const cause of causes(error)) {
    if (cause instanceof UpstreamError) return withoutSecrets(cause, secrets)
    if (cause instanceof OperatorError)
      return new UpstreamError('away', `the provider cannot be reached: ${cause.message}`, { cause: error })
    const code: unknown = 'code' in cause ? cause.code : undefined
    if (typeof code === 'string' && NEVER_SENT.test(code))
      return new UpstreamError('away', `the provider cannot be reached (${code})`, { cause: error })
  }
  return new UpstreamError('lost', 'the answer of the provider was lost on its way, or cannot be read', {
    cause: error,
  })
}

function ofStatus(
  error: APICallError,
  { status, secrets }: { status: number; secrets: readonly string[] },
): UpstreamError {
  const text = storableText(hidden(error.message, secrets))
  const message = `the provider answered ${status}: ${cutText(text, 500)}`
  // without its cause, which logs would write: that has all that was sent and answered
  const options = { status, retry_after_ms: retryAfterMs(error.responseHeaders ?? {}, Date.now()) }
  if (NOT_BEGUN.has(status)) return new UpstreamError('away', message, options)
  return new UpstreamError(status < 500 && status !== REQUEST_TIMEOUT ? 'refused' : 'lost', message, options)
}

/** Returns a failure that a provider reports in place of an answer that the AI SDK could read, or in an event of its own format. */
function failureIn(error: unknown): UpstreamError | undefined {
  if (APICallError.isInstance(error)) return providerFailure(foreignJsonIn(error.responseBody ?? ''))
  if (InvalidResponseDataError.isInstance(error)) return providerFailure(error.data)
  return error instanceof Error ? undefined : providerFailure({ error })
}

function withoutSecrets(error: UpstreamError, secrets: readonly string[]): UpstreamError {
  const { outcome, message, status, retry_after_ms, cause } = error
  const text = storableText(hidden(message, secrets))
  return text === message ? error : new UpstreamError(outcome, text, { status, retry_after_ms, cause })
}

function hidden(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '(key)'), text)
}

function* causes(thrown: unknown): Generator<Error> {
  let depth = 0
  for (let error = thrown; error instanceof Error && depth < 8; error = error.cause, depth += 1) {
    yield error
    if (error instanceof AggregateError) yield* error.errors.filter((inner) => inner instanceof Error)
  }
}

/**
 * Returns the failure in an answer with status 200 or in the middle of a stream: `{"error": {"message", "code"}}`. The provider may have
 * worked before, and charged for that. A code that is an HTTP status counts as one.
 */
export function providerFailure(body: unknown): UpstreamError | undefined {
  const error = isObject(body) ? body['error'] : undefined
  if (error === undefined || error === null || error === false) return undefined
  const { message, code, type, status } = isObject(error) ? error : { message: error }
  const text = [message, type, code].find((each) => typeof each === 'string' && each !== '') ?? 'it does not say how'
  const number = [code, status].map(Number).find((each) => Number.isInteger(each) && each >= 400 && each < 600)
  return new UpstreamError('lost', `the provider has failed: ${cutText(String(text), 500)}`, {
    status: number ?? (isRateLimit(type) || isRateLimit(code) ? 429 : undefined),
  })
}

function isRateLimit(name: unknown): boolean {
  return typeof name === 'string' && /^rate_?limit/i.test(name)
}
