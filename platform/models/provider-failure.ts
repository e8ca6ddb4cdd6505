import { isObject } from '#core/json/json.ts'
import { UpstreamError } from '#core/models/upstream-error.ts'
import { cutText } from '#core/text/text.ts'

/**
 * The failure that a provider says with a 200 or in the middle of a stream: `{"error": {"message", "code"}}`. It may have worked before, and
 * charged for that. A code that is an HTTP status is one.
 */
export function providerFailure(said: unknown): UpstreamError | undefined {
  const error = isObject(said) ? said['error'] : undefined
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
