import { DomainError } from '#core/errors.ts'
import type { PricedModel } from '#core/models/model.ts'
import { isWorthAnother, UpstreamError } from '#core/models/upstream-error.ts'
import { type Attempt, beginAttempt } from './begin-attempt.ts'
import type { ModelContext } from './model-ports.ts'
import type { PreparedCall } from './prepare-call.ts'

const FIRST_WAIT_MS = 250
const MOST_WAIT_MS = 5_000

/**
 * Asks the model, once more when that may help, and then the one that takes its place. Each attempt is paid for by itself, so that repeating
 * ends where the budget does. `act` settles its attempt and throws `UpstreamError` while another one may still be made.
 */
export async function makeAttempts<T>(
  ctx: ModelContext,
  call: PreparedCall,
  act: (model: PricedModel, attempt: Attempt) => Promise<T>,
): Promise<T> {
  const [first, fallback] = call.candidates
  const order = (call.once === true ? [first] : [first, first, fallback]).filter((each) => each !== undefined)
  let last: UpstreamError | undefined
  for (const [index, model] of order.entries()) {
    const attempt = await beginAttempt(ctx, call, { model, attempt: index + 1 }).catch((error: unknown) => {
      throw withFailure(error, last)
    })
    try {
      return await act(model, attempt)
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      last = error
      if (!isWorthAnother(error)) break
      if (index < order.length - 1) await pause(waitOf(error), call.signal)
    }
  }
  throw asRefusal(last)
}

/** A repetition that does not fit says why there was one. */
function withFailure(error: unknown, last: UpstreamError | undefined): unknown {
  if (!(error instanceof DomainError) || last === undefined) return error
  return new DomainError(error.code, error.message, { ...error.details, last_failure: last.message })
}

function waitOf({ retry_after_ms = FIRST_WAIT_MS }: UpstreamError): number {
  return Math.min(retry_after_ms, MOST_WAIT_MS)
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const stop = () => {
      clearTimeout(timer)
      resolve()
    }
    signal.addEventListener('abort', stop, { once: true })
  })
}

/** What a provider did, as whoever asked is told. What it says about our key stays here. */
function asRefusal(error: UpstreamError | undefined): DomainError {
  if (error === undefined) return new DomainError('internal', 'no attempt was made')
  const { outcome, status, message } = error
  if (outcome === 'refused' && (status === 401 || status === 403 || status === 404)) {
    const what = status === 404 ? 'does not know the model' : 'refuses the key'
    return new DomainError(
      'not_configured',
      `The provider ${what} that models.yaml names (${status}).`,
      {},
      { cause: error },
    )
  }
  if (outcome === 'refused') return new DomainError('validation_failed', message, {}, { cause: error })
  // it was repeated already, and each time it may have been paid for
  return new DomainError('dependency_unavailable', message, outcome === 'lost' ? { may_be_spent: true } : {}, {
    cause: error,
  })
}
