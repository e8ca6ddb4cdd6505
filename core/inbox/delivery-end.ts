import { refusalOf, type SignalOutcome } from '../trigger/outcome.ts'
import type { DeliveryEnd } from './item.ts'

/** The outcome of one part of a delivery, for example an alert. */
interface Part {
  outcome: SignalOutcome
  run_id?: string
  detail?: string
}

/** From what matters most to what matters least. */
const STATUS_OF = {
  started: 'started',
  attached: 'attached',
  resolved: 'attached',
  denied: 'failed',
  frozen: 'failed',
  halted: 'failed',
  throttled: 'throttled',
  unmatched: 'unmatched',
  suppressed: 'unmatched',
} as const satisfies Record<SignalOutcome, DeliveryEnd['status']>
const BY_WEIGHT = Object.keys(STATUS_OF) as SignalOutcome[]

/** The one status of a delivery of many parts: that of its weightiest part; with nothing that matched, `unmatched`. */
export function deliveryEnd(parts: readonly Part[]): DeliveryEnd {
  const weightiest = BY_WEIGHT.find((outcome) => parts.some((part) => part.outcome === outcome))
  const part = parts.find(({ outcome }) => outcome === weightiest)
  if (part === undefined) return { status: 'unmatched' }
  const code = refusalOf(part.outcome)
  const suppressed = parts.find(({ outcome, detail }) => outcome === 'suppressed' && detail !== undefined)
  if (STATUS_OF[part.outcome] === 'unmatched' && suppressed?.detail !== undefined)
    return { status: 'unmatched', error: { code: 'suppressed', message: suppressed.detail } }
  return {
    status: STATUS_OF[part.outcome],
    ...(part.run_id !== undefined && { run_id: part.run_id }),
    ...(code !== undefined && { error: { code, message: part.detail ?? part.outcome } }),
  }
}
