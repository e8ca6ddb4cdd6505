import type { DeliveryEnd } from './item.ts'

/** What became of one part of a delivery, an alert for example. */
interface Part {
  outcome: string
  run_id?: string
  detail?: string
}

/** From what matters most to what matters least. */
const BY_WEIGHT: readonly [outcome: string, status: DeliveryEnd['status']][] = [
  ['started', 'started'],
  ['attached', 'attached'],
  ['resolved', 'attached'],
  ['denied', 'failed'],
  ['frozen', 'failed'],
  ['halted', 'failed'],
  ['throttled', 'throttled'],
]
const REFUSALS: Readonly<Record<string, string>> = {
  denied: 'policy_denied',
  frozen: 'frozen',
  halted: 'halted',
}

/** The one status of a delivery of many parts: that of its weightiest part; with nothing that matched, `unmatched`. */
export function deliveryEnd(parts: readonly Part[]): DeliveryEnd {
  for (const [outcome, status] of BY_WEIGHT) {
    const part = parts.find((each) => each.outcome === outcome)
    if (part === undefined) continue
    const code = REFUSALS[outcome]
    return {
      status,
      ...(part.run_id !== undefined && { run_id: part.run_id }),
      ...(code !== undefined && { error: { code, message: part.detail ?? outcome } }),
    }
  }
  return { status: 'unmatched' }
}
