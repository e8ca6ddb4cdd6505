import { DomainError } from '#core/errors.ts'
import type { ReachableModel } from '#core/models/model.ts'
import { isWorthAnother, UpstreamError } from '#core/models/upstream-error.ts'
import type { ChatRequest, VectorRequest } from '#platform/models/prepare-request.ts'
import { type Attempt, beginAttempt } from './begin-attempt.ts'
import type { CallContext } from './model-ports.ts'
import type { PreparedCall } from './prepare-call.ts'
import { refuseUpstream } from './refuse-reservation.ts'

const FIRST_WAIT_MS = 250
const MAX_WAIT_MS = 5_000

/**
 * Calls the model, retries once if that may help, and then calls the fallback. Each attempt has its own reservation, so retries end with
 * the budget. `act` sends the measured request, settles its attempt, and throws `UpstreamError` if another one may be made.
 */
export async function makeAttempts<Request extends ChatRequest | VectorRequest, T>(
  ctx: CallContext,
  call: PreparedCall,
  {
    prepare,
    act,
  }: { prepare(model: ReachableModel): Promise<Request>; act(request: Request, attempt: Attempt): Promise<T> },
): Promise<T> {
  const [first, fallback] = call.candidates
  // an unreachable fallback would hide the failure of the first
  const others = fallback === undefined || 'problem' in fallback.endpoint ? [] : [fallback]
  const order = call.once === true ? [first] : [first, first, ...others]
  let last: UpstreamError | undefined
  for (const [index, model] of order.entries()) {
    const isRepeated = model === order[index - 1]
    // a provider that asks for a long delay is not called again before: the caller is told the delay
    if (isRepeated && last !== undefined && waitOf(last) > MAX_WAIT_MS) continue
    if (last !== undefined) await pause(isRepeated ? waitOf(last) : FIRST_WAIT_MS, call.signal)
    // a call that is not sent again costs nothing
    if (last !== undefined && call.signal.aborted) break
    const request = await prepare(model)
    const attempt = await beginAttempt(ctx, call, { request, attempt: index + 1 }).catch((error: unknown) => {
      throw withFailure(error, last)
    })
    try {
      return await act(request, attempt)
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      last = error
      if (!isWorthAnother(error)) break
    }
  }
  throw last === undefined ? new DomainError('internal', 'no attempt was made') : refuseUpstream(last)
}

/** A refused retry also reports the first failure. */
function withFailure(error: unknown, last: UpstreamError | undefined): unknown {
  if (!(error instanceof DomainError) || last === undefined) return error
  return new DomainError(error.code, error.message, { ...error.details, last_failure: last.message })
}

function waitOf({ retry_after_ms = FIRST_WAIT_MS }: UpstreamError): number {
  return retry_after_ms
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
