import { DomainError } from '#core/errors.ts'
import type { UpstreamError } from '#core/models/upstream-error.ts'
import { type MicroUsd, usdFromMicro, usdText } from '#core/money.ts'
import type { ModelRefusal } from '#store/models/model-calls.ts'

const RATE_LIMITED = 429

/** Makes the caller's error of a provider's failure; details about our key are withheld. */
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

const SCOPES = {
  call: 'a single call in this environment',
  run: 'the run',
  turn: 'the turn',
  person: 'the questions of one person in this workspace on one day',
  key: "this API key's day",
  environment: "the environment's day",
  workspace: "the workspace's day",
  pipeline: 'the pipeline',
}

/** Makes the caller's error for an attempt that may not begin. */
export function refuseReservation(refusal: ModelRefusal, reserve: MicroUsd): DomainError {
  switch (refusal.refused) {
    case 'not_found':
      return new DomainError('not_found', 'there is no such run')
    case 'fenced':
      return new DomainError('conflict', 'Another attempt of the step has taken over.')
    case 'terminal':
      return new DomainError('run_terminal', `The run is ${refusal.status}: it makes no more model calls.`)
    case 'halted':
      return new DomainError('halted', 'A halt is in force, and no model is called under it.', {
        ...(refusal.halt_id !== null && { halt_id: refusal.halt_id }),
      })
    case 'standing_lost':
      return new DomainError(
        'needs_approval',
        `${refusal.who}, in whose name the run was requested, may no longer start it.`,
      )
    case 'budget': {
      const { scope, cap_micro_usd, spent_micro_usd } = refusal
      const taken =
        spent_micro_usd === undefined ? '' : `, of which ${usdText(spent_micro_usd)} USD are spent or reserved`
      return new DomainError(
        'BudgetExceeded',
        `The call may cost up to ${usdText(reserve)} USD, and that does not fit under the cap of ${SCOPES[scope]}: ${usdText(cap_micro_usd)} USD${taken}. A smaller max_tokens reserves less.`,
        { scope, cap_usd: usdFromMicro(cap_micro_usd), needs_usd: usdFromMicro(reserve) },
      )
    }
  }
}
