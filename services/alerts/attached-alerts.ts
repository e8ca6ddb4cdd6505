import { MOST_STATES } from '#core/trigger/alert-record.ts'
import type { AttachedAlert } from '#store/runs/run-drafts.ts'
import type { KeptAlert } from './kept-alert.ts'

export interface Attaching {
  delivery_id: string
  member: string
  /** when it fired, where its sender says that */
  at?: string | undefined
  kept: KeptAlert
}

/** Alerts of one fingerprint as they are sent to its run: the last of each member brings its state where that has changed. */
export function attachedAlerts(
  alerts: readonly Attaching[],
  isChanged: (alert: Attaching) => boolean = () => true,
): AttachedAlert[] {
  const last = new Map(alerts.map((alert) => [alert.member, alert]))
  // one more than are kept, so that the record says that there were more
  let room = MOST_STATES + 1
  return alerts.map((alert) => {
    const { delivery_id, member, at, kept } = alert
    const folded = { delivery_id, member, digest: kept.digest, ...(at !== undefined && { at }) }
    if (room === 0 || last.get(member) !== alert || !isChanged(alert)) return folded
    room -= 1
    return { ...folded, state: kept.state() }
  })
}
