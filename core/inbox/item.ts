import { HIDDEN, isSecretName } from '../egress/url.ts'
import type { Json } from '../json/json.ts'
import { parseDelivery } from '../json/storable-json.ts'

const DELIVERY_ENDS = ['started', 'attached', 'unmatched', 'throttled', 'failed'] as const
/** The state of a delivery: `received` waits to be processed, `replayed` was processed once more. */
export const INBOX_STATUSES = ['received', ...DELIVERY_ENDS, 'replayed'] as const
export type InboxStatus = (typeof INBOX_STATUSES)[number]

/** `force` processes again, `if_no_run` only deliveries that started no run, `simulate` reports what would happen. */
export const REPLAY_MODES = ['force', 'if_no_run', 'simulate'] as const
export type ReplayMode = (typeof REPLAY_MODES)[number]

/** The outcome of a replay: `received` waits for its first attempt anyway, `skipped` has started a run before. */
export const REPLAY_OUTCOMES = [...DELIVERY_ENDS, 'received', 'skipped', 'simulated', 'not_found'] as const

export interface DeliveryEnd {
  status: (typeof DELIVERY_ENDS)[number]
  run_id?: string
  error?: { code: string; message: string }
}

/** A delivery that is known by a digest in hex: the same of the same. */
export function deliveryIdOf(digest: string): string {
  const number = BigInt(`0x${digest.slice(0, 32)}`)
  return `dlv_${number
    .toString(32)
    .padStart(26, '0')
    .replaceAll(/[ilou]/g, (letter) => OTHER[letter] ?? letter)}`
}

const OTHER: Record<string, string> = { i: 'w', l: 'x', o: 'y', u: 'z' }

/** The run that a delivery starts has an id that follows from the delivery's, so that a repeat is not a second run. */
export function runIdOfDelivery(deliveryId: string): string {
  return deliveryId.replace(/^[a-z]+_/, 'run_')
}

/** The same of a decision. */
export function decisionIdOfDelivery(deliveryId: string): string {
  return deliveryId.replace(/^[a-z]+_/, 'dec_')
}

/** The same of a thread of questions. */
export function threadIdOfDelivery(deliveryId: string): string {
  return deliveryId.replace(/^[a-z]+_/, 'thr_')
}

/** The same of a pipeline. */
export function pipelineIdOfDelivery(deliveryId: string): string {
  return deliveryId.replace(/^[a-z]+_/, 'pl_')
}

/** Returns a body for people: members with names of secrets are hidden, and so is everything that is not JSON. */
export function shownBody(text: string): Json {
  try {
    return withoutSecrets(parseDelivery(text) as Json)
  } catch {
    return HIDDEN
  }
}

function withoutSecrets(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutSecrets)
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      isSecretName(name) && item !== null ? HIDDEN : withoutSecrets(item),
    ]),
  )
}
