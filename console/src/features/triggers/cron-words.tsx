import { useQuery } from '@tanstack/react-query'
import { OWN_ZONE } from '../../lib/time.ts'
import { TRIGGERS } from '../../strings/triggers.ts'
import type { FireTimes } from './api.ts'

/** A cron expression in words. The words come from a library that is loaded when they are wanted, and know nothing of `days`. */
export function CronWords({ schedule }: { schedule: FireTimes }) {
  const { cron, timezone, days } = schedule
  const words = useQuery({
    queryKey: ['cron-words', cron],
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    queryFn: async () => (await import('cronstrue')).default.toString(cron, { use24HourTimeFormat: true }),
  })
  return (
    <>
      {words.data !== undefined && <span className="block">{words.data}</span>}
      <code className="break-all text-sm text-muted-foreground">{cron}</code>{' '}
      <span className="text-sm text-muted-foreground">{TRIGGERS.schedules.zone(timezone)}</span>
      {days !== undefined && <span className="block text-sm">{TRIGGERS.schedules.both_days[days]}</span>}
    </>
  )
}

/** The reader's zone, shown where another zone was named. */
export function OwnZone({ unlike }: { unlike: string }) {
  const zone = OWN_ZONE
  return zone === unlike ? null : <p className="text-sm text-muted-foreground">{TRIGGERS.schedules.own_zone(zone)}</p>
}
