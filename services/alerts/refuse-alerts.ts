import type { DomainError } from '#core/errors.ts'
import { canonicalText } from '#core/json/canonical.ts'
import { isStartRefusal, START_REFUSALS } from '#core/trigger/outcome.ts'
import type { FiringAlert, Group, WaitingAlert } from './firing-alerts.ts'

/** Answers alerts with the same refused request; the others remain. */
export function refuseAlerts({ first, members }: Group, error: DomainError): WaitingAlert[] {
  // only the validation and the limits depend on more than the template and the environment
  const keyOf = error.code === 'validation_failed' ? inputsOf : error.code === 'rate_limited' ? limitedOf : targetOf
  const refused = keyOf(first.alert)
  return members.filter((member) => {
    if (keyOf(member.alert) !== refused) return true
    if (isStartRefusal(error.code)) member.answer({ outcome: START_REFUSALS[error.code], detail: error.message })
    else if (error.code === 'rate_limited') member.answer({ outcome: 'throttled', detail: error.message })
    else if (error.code === 'validation_failed' || error.code === 'not_found') {
      member.answer({ outcome: 'unmatched', detail: error.message })
    } else member.fail(error)
    return false
  })
}

function targetOf({ admission }: FiringAlert): string {
  return JSON.stringify([admission.pack, admission.template, admission.environment, admission.profile])
}

function limitedOf(alert: FiringAlert): string {
  return `${targetOf(alert)} ${canonicalText(alert.admission.limits ?? {})}`
}

function inputsOf(alert: FiringAlert): string {
  return `${targetOf(alert)} ${canonicalText(alert.admission.inputs)}`
}
