/** What became of a delivery: `received` waits to be processed, `replayed` was processed once more. */
export const INBOX_STATUSES = [
  'received',
  'started',
  'attached',
  'unmatched',
  'throttled',
  'failed',
  'replayed',
] as const
export type InboxStatus = (typeof INBOX_STATUSES)[number]

/** `force` processes anew, `if_no_run` only what led to no run, `simulate` says what would happen. */
export const REPLAY_MODES = ['force', 'if_no_run', 'simulate'] as const
export type ReplayMode = (typeof REPLAY_MODES)[number]

/** How the processing of a delivery ended. */
export interface DeliveryEnd {
  status: Exclude<InboxStatus, 'received' | 'replayed'>
  run_id?: string
  error?: { code: string; message: string }
}

/** The run that a delivery starts has an id that follows from the delivery's, so that a repeat is not a second run. */
export function runIdOfDelivery(deliveryId: string): string {
  return deliveryId.replace(/^[a-z]+_/, 'run_')
}
