import { DomainError } from '../errors.ts'
import { isTemplateString } from '../expression/parse-template-string.ts'
import type { Fault } from '../plan/fault.ts'
import { compileSchedule } from '../schedule/compile-schedule.ts'
import { parseCron } from '../schedule/cron.ts'
import { DEFAULT_DST } from '../schedule/next-fires.ts'
import { nearestDuration } from '../text/did-you-mean.ts'
import { DAY_MS, parseDuration } from '../time/time.ts'
import type { StepSpec } from './bundle-file-schema.ts'
import type { TimerStep } from './types.ts'

const MAX_DAYS = 30

/** Only the examples of a refusal depend on it, and none is shown here. */
const SOME_TIME = Date.UTC(2026, 0, 1)

/** Reads a step's `schedule`: a delay, or the next time of a cron expression; `path` leads to it. */
export function readTimer(
  schedule: NonNullable<StepSpec['schedule']>,
  path: Fault['path'],
): { timer: TimerStep['timer']; faults: [] } | { timer?: undefined; faults: Fault[] } {
  if (typeof schedule !== 'string') return readCron(schedule, [...path, 'cron'], [...path, 'timezone'])
  const text = schedule.trim()
  if (isTemplateString(text)) return { timer: { delay: text }, faults: [] }
  if (/\s/.test(text) && !/^\d+\s*[a-z]+$/i.test(text)) return readCron({ cron: schedule, timezone: 'UTC' }, path, path)
  if (text.startsWith('@')) return readCron({ cron: schedule, timezone: 'UTC' }, path, path)
  const delay_ms = readDelay(text)
  if (delay_ms !== undefined) return { timer: { delay_ms }, faults: [] }
  const takes = `a delay such as 15m (at most ${MAX_DAYS}d) nor a cron expression such as "0 2 * * *"`
  return refused(
    path,
    `${JSON.stringify(schedule)} is neither ${takes}${parseDuration(text) === undefined ? nearestDuration(text) : ''}`,
  )
}

/** A delay in milliseconds; undefined unless the text is a duration of more than 0 and at most 30 days. */
export function readDelay(text: string): number | undefined {
  const delay_ms = parseDuration(text)
  return delay_ms !== undefined && delay_ms > 0 && delay_ms <= MAX_DAYS * DAY_MS ? delay_ms : undefined
}

function readCron(
  { cron, timezone }: { cron: string; timezone: string },
  atCron: Fault['path'],
  atZone: Fault['path'],
): ReturnType<typeof readTimer> {
  try {
    compileSchedule({ cron, timezone, dst: DEFAULT_DST }, SOME_TIME)
    return { timer: { cron, timezone }, faults: [] }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const offset = offsetOf(cron)
    const faults = (error.details.errors ?? []).map(({ loc: [field], msg }): Fault => {
      if (field === 'timezone') return { path: atZone, message: msg }
      if (field === 'cron') return { path: atCron, message: msg, offset }
      return { path: atCron, message: 'limit the day of the month or the day of the week, not both' }
    })
    return { faults }
  }
}

function offsetOf(cron: string): number {
  const { fault } = parseCron(cron)
  if (fault === undefined) return 0
  const before = cron.split('\n').slice(0, fault.line - 1)
  return before.reduce((sum, line) => sum + line.length + 1, fault.column - 1)
}

function refused(path: Fault['path'], message: string): { faults: Fault[] } {
  return { faults: [{ path, message }] }
}
