/**
 * How an attempt ended that brought no answer. `refused`: the provider turned it down before it did anything; `away`: nobody got it, or it
 * was too much at once; `lost`: it may have been answered, and nobody knows; `aborted`: the one who asked has gone.
 */
export type UpstreamOutcome = 'refused' | 'away' | 'lost' | 'aborted'

/** What a provider did instead of answering. */
export class UpstreamError extends Error {
  readonly outcome: UpstreamOutcome
  /** HTTP status of its refusal */
  readonly status: number | undefined
  /** when it asks to be tried again */
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

/** Nothing was spent where the provider said no, or never received the request. */
export function isUnspent(outcome: UpstreamOutcome): boolean {
  return outcome === 'refused' || outcome === 'away'
}

/** The same again, or another model, may succeed. */
export function isWorthAnother({ outcome }: UpstreamError): boolean {
  return outcome === 'away' || outcome === 'lost'
}
