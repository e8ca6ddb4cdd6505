import { parseCron } from '../schedule/cron.ts'
import { DEFAULT_DST, type FireRule, nextFires } from '../schedule/next-fires.ts'

const FIELDS = /^\S+( +\S+){4}$/
/** A fixed start, so that a file is sound or not whenever it is read. */
const SOME_TIME = Date.parse('2000-01-01T00:00:00Z')

/**
 * Returns when a freeze begins, by the rules of schedules: days of month and of week that are both restricted must both match, a time in a
 * gap of the clock means its end, and a time that occurs twice its first occurrence. Undefined for an invalid cron expression.
 */
export function freezeRule(cron: string, timezone: string): FireRule | undefined {
  const parsed = parseCron(cron).cron
  return parsed && { cron: parsed, timezone, days: 'and', dst: DEFAULT_DST }
}

/** Returns what is wrong with a cron expression; undefined when it is valid. A freeze takes five fields and no nicknames. */
export function cronFault(text: string): string | undefined {
  const quoted = JSON.stringify(text)
  if (!FIELDS.test(text)) return `${quoted} is not a cron expression of five fields such as 0 18 * * 5`
  const { fault } = parseCron(text)
  if (fault !== undefined) return `${quoted} is not a cron expression: ${fault.message}: ${fault.hint}`
  const rule = freezeRule(text, 'UTC')
  return rule && nextFires(rule, SOME_TIME, 1).length === 0 ? `${quoted} names a date that never comes` : undefined
}

/** Steps that a freeze blocks: all, or those that do more than read. */
export const FREEZE_SCOPES = ['all', 'writes'] as const
export type FreezeScope = (typeof FREEZE_SCOPES)[number]

interface FreezeRule {
  name: string
  scope: FreezeScope
  /** roles of which one must approve runs meanwhile; empty: no run may act */
  freeze_approvers: string[]
}

/** A recurring freeze: it begins at each fire of the cron expression and lasts for a span of elapsed time. */
export interface RecurringFreeze extends FreezeRule {
  cron: string
  duration_ms: number
  /** IANA name */
  timezone: string
}

/** A freeze that happens once: from the first instant to the second, RFC 3339, the end excluded. */
export interface SingleFreeze extends FreezeRule {
  interval: { from: string; to: string }
}

export type FreezeWindow = RecurringFreeze | SingleFreeze
