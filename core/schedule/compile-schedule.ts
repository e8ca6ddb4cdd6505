import { DomainError, type FieldError } from '../errors.ts'
import { isoTime } from '../time/time.ts'
import { parseCron } from './cron.ts'
import { type FireRule, nextFires } from './next-fires.ts'
import { zoneFault } from './zone.ts'

export interface ScheduleTimes {
  cron: string
  timezone: string
  days?: 'and' | 'or' | undefined
  dst: FireRule['dst']
}

/** Compiles the firing rule of a schedule. Throws `invalid_schedule` with the place of the fault; `now` is for examples. */
export function compileSchedule({ cron: text, timezone, days, dst }: ScheduleTimes, now: number): FireRule {
  const { cron, fault } = parseCron(text)
  const badZone = zoneFault(timezone)
  const errors: FieldError[] = []
  if (fault !== undefined) errors.push(fieldError('cron', `${fault.message}: ${fault.hint}`, 'invalid_cron'))
  if (badZone !== undefined) errors.push(fieldError('timezone', badZone, 'invalid_timezone'))
  if (cron === undefined || errors.length > 0) throw refusal(errors, fault === undefined ? {} : { ...fault })
  if (days === undefined && cron.days_restricted && cron.weekdays_restricted) {
    const three = (rule: 'and' | 'or') => nextFires({ cron, timezone, days: rule, dst }, now, 3).map(isoTime)
    const message = 'day of the month and day of the week are both restricted: say days: and, or days: or'
    throw refusal([fieldError('days', message, 'ambiguous_days')], {
      next_fires: { and: three('and'), or: three('or') },
    })
  }
  const rule: FireRule = { cron, timezone, days: days ?? 'and', dst }
  if (cron.days_restricted && cron.weekdays_restricted && nextFires(rule, now, 1).length === 0)
    throw refusal([fieldError('cron', 'this date never comes', 'invalid_cron')], {})
  return rule
}

function fieldError(field: string, msg: string, type: string): FieldError {
  return { pointer: `/${field}`, loc: [field], msg, type }
}

function refusal(errors: FieldError[], details: Record<string, unknown>): DomainError {
  const { line, column, hint, next_fires } = details
  const place = line === undefined ? '' : ` (line ${line}, column ${column})`
  return new DomainError('invalid_schedule', `${errors.map((error) => error.msg).join('; ')}${place}`, {
    errors,
    ...(line !== undefined && { line, column, hint }),
    ...(next_fires !== undefined && { next_fires }),
  })
}
