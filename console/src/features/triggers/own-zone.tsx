import { ownZone } from '../../lib/time.ts'
import { TRIGGERS } from '../../words/triggers.ts'

/** Times are shown on the clock of the reader, which has to be said where another zone was named. */
export function OwnZone({ unlike }: { unlike: string }) {
  const zone = ownZone()
  return zone === unlike ? null : <p className="text-sm text-soft">{TRIGGERS.schedules.own_zone(zone)}</p>
}
