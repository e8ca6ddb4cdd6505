import { DomainError } from '#core/errors.ts'
import type { UpstreamError } from '#core/models/upstream-error.ts'

const RATE_LIMITED = 429

/** A provider's failure as the caller is told; what it says about our key is withheld. */
export function refuseUpstream(error: UpstreamError): DomainError {
  const { outcome, status, message, retry_after_ms } = error
  const options = { cause: error }
  if (outcome === 'refused' && (status === 401 || status === 403 || status === 404)) {
    const what =
      status === 404
        ? `does not know the model that models.yaml names, or not for this: ${message}`
        : `refuses the key that models.yaml names (${status}).`
    return new DomainError('not_configured', `The provider ${what}`, {}, options)
  }
  if (outcome === 'refused') return new DomainError('validation_failed', message, {}, options)
  const details = {
    ...(retry_after_ms !== undefined && { retry_after_s: Math.ceil(retry_after_ms / 1_000) }),
    // it was retried already, and each attempt may have been charged
    ...(outcome === 'lost' && { may_be_spent: true }),
  }
  return new DomainError(status === RATE_LIMITED ? 'rate_limited' : 'dependency_unavailable', message, details, options)
}
