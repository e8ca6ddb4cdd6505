import { z } from 'zod'
import { zoneFault } from '../schedule/zone.ts'
import { nearestDuration } from '../text/did-you-mean.ts'
import { DAY_MS, parseDuration } from '../time/time.ts'
import { cronFault, FREEZE_SCOPES, type FreezeWindow } from './freeze-window.ts'

const YEAR_MS = 366 * DAY_MS

/** A duration of at most a year, in milliseconds. */
export const LongDurationMs = z.string('a duration such as 30m, 48h or 7d').transform((text, ctx) => {
  const ms = parseDuration(text)
  if (ms !== undefined && ms > 0 && ms <= YEAR_MS) return ms
  const message = `${JSON.stringify(text)} is not a duration such as 30m, 48h or 7d (at most 366d)${nearestDuration(text)}`
  ctx.addIssue({ code: 'custom', message })
  return z.NEVER
})

const Instant = z.iso.datetime({ offset: true, error: 'an RFC 3339 time with its offset such as 2026-12-24T18:00:00Z' })
const sound = (fault: (text: string) => string | undefined) => (text: string, ctx: z.RefinementCtx<string>) => {
  const message = fault(text)
  if (message !== undefined) ctx.addIssue({ code: 'custom', message })
}

/** A freeze in a file: `cron` with `duration` (and `timezone`), or one `interval`. */
const FreezeEntry = z
  .strictObject({
    name: z.string().min(1).max(100),
    cron: z.string().superRefine(sound(cronFault)).optional(),
    duration: LongDurationMs.optional(),
    timezone: z.string().superRefine(sound(zoneFault)).optional(),
    interval: z.strictObject({ from: Instant, to: Instant }).optional(),
    scope: z.enum(FREEZE_SCOPES, `takes ${FREEZE_SCOPES.join(', ')}`).default('writes'),
    freeze_approvers: z.array(z.string().normalize('NFC').min(1).max(100)).default([]),
  })
  .transform(({ cron, duration, timezone, interval, ...rule }, ctx): FreezeWindow => {
    const refuse = (path: string[], message: string) => {
      ctx.addIssue({ code: 'custom', path, message })
      return z.NEVER
    }
    if (interval !== undefined) {
      if (cron !== undefined) return refuse(['cron'], 'a freeze has a cron expression or an interval, not both')
      if (duration !== undefined) return refuse(['duration'], 'an interval ends by itself')
      if (timezone !== undefined) return refuse(['timezone'], 'the times of an interval include their offset')
      if (Date.parse(interval.from) >= Date.parse(interval.to)) return refuse(['interval', 'to'], 'not after from')
      return { ...rule, interval }
    }
    if (cron === undefined) return refuse([], 'a freeze takes cron and duration, or interval: { from, to }')
    if (duration === undefined) return refuse(['cron'], 'how long? add duration, such as 48h')
    return { ...rule, cron, duration_ms: duration, timezone: timezone ?? 'UTC' }
  })

/** The freezes of one environment. Approvals refer to them by name, so names are unique. */
export const FreezeList = z.array(FreezeEntry, 'a list of freezes').superRefine((freezes, ctx) => {
  freezes.forEach(({ name }, index) => {
    if (freezes.findIndex((each) => each.name === name) === index) return
    ctx.addIssue({ code: 'custom', path: [index, 'name'], message: `the freeze name ${name} is used twice` })
  })
})
