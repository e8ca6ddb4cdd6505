/**
 * The outcome of a call without an answer. `refused`: the provider rejected it before it did anything; `away`: it was not received, or the
 * provider was overloaded; `lost`: it may have been answered; `aborted`: the caller disconnected.
 */
export type UpstreamOutcome = 'refused' | 'away' | 'lost' | 'aborted'

/** A provider's failure. */
export class UpstreamError extends Error {
  readonly outcome: UpstreamOutcome
  /** HTTP status of its refusal */
  readonly status: number | undefined
  /** the delay that it asks for */
  readonly retry_after_ms: number | undefined

  constructor(
    outcome: UpstreamOutcome,
    message: string,
    options: ErrorOptions & { status?: number | undefined; retry_after_ms?: number | undefined } = {},
  ) {
    super(message, options)
    this.name = 'UpstreamError'
    this.outcome = outcome
    this.status = options.status
    this.retry_after_ms = options.retry_after_ms
  }
}

/** Nothing was spent when the provider refused or never received the request. */
export function isUnspent(outcome: UpstreamOutcome): boolean {
  return outcome === 'refused' || outcome === 'away'
}

/** The same again, or another model, may succeed. */
export function isWorthAnother({ outcome }: UpstreamError): boolean {
  return outcome === 'away' || outcome === 'lost'
}
