import { type FireRule, nextFires } from '../schedule/next-fires.ts'
import { isoTime } from '../time/time.ts'
import { type FreezeScope, type FreezeWindow, freezeRule, type RecurringFreeze } from './freeze-window.ts'

/** A freeze that is on. */
export interface ActiveFreeze {
  name: string
  /** RFC 3339; a freeze that follows itself without a gap for very long may end even later */
  until: string
  scope: FreezeScope
  freeze_approvers: string[]
}

interface Frozen {
  freeze: readonly FreezeWindow[]
}

/** The freezes of an environment that are on at an instant, in milliseconds since the epoch. */
export function activeFreezes({ freeze }: Frozen, at_ms: number): ActiveFreeze[] {
  return freeze.flatMap((window) => {
    const end_ms = 'cron' in window ? recurringEnd(window, at_ms) : singleEnd(window.interval, at_ms)
    if (end_ms === undefined) return []
    const { name, scope, freeze_approvers } = window
    return [{ name, until: isoTime(end_ms), scope, freeze_approvers }]
  })
}

/** Returns the freezes that block an operation of this type, or a whole plan when it writes. */
export function freezesOn(environment: Frozen, at_ms: number, writes: boolean): ActiveFreeze[] {
  return activeFreezes(environment, at_ms).filter(({ scope }) => writes || scope === 'all')
}

/**
 * Returns a freeze, if any, during which approvals are blocked: one without approvers of its own. An unknown action type counts as a write.
 */
export function frozenForApproval(
  environment: Frozen,
  at_ms: number,
  actionType: string = 'unknown',
): ActiveFreeze | undefined {
  return freezesOn(environment, at_ms, actionType !== 'read').find(isBlocking)
}

/** True when the freeze has no approvers. */
export function isBlocking(freeze: ActiveFreeze): boolean {
  return freeze.freeze_approvers.length === 0
}

function singleEnd({ from, to }: { from: string; to: string }, at_ms: number): number | undefined {
  return Date.parse(from) <= at_ms && at_ms < Date.parse(to) ? Date.parse(to) : undefined
}

const rules = new WeakMap<FreezeWindow, FireRule>()
/** Fires that overlap count as one freeze; how many are followed to its end. */
const MAX_FOLLOWED = 100

/** Returns the end of the freeze whose fire lies less than its duration back; undefined without one. */
function recurringEnd(window: RecurringFreeze, at_ms: number): number | undefined {
  const rule = rules.get(window) ?? freezeRule(window.cron, window.timezone)
  // its schema has refused a freeze that never begins
  if (rule === undefined) return undefined
  rules.set(window, rule)
  let [fire_ms] = nextFires(rule, at_ms - window.duration_ms, 1)
  if (fire_ms === undefined || fire_ms > at_ms) return undefined
  let end_ms = fire_ms + window.duration_ms
  for (let followed = 0; followed < MAX_FOLLOWED; followed++) {
    ;[fire_ms] = nextFires(rule, fire_ms, 1)
    if (fire_ms === undefined || fire_ms > end_ms) break
    end_ms = fire_ms + window.duration_ms
  }
  return end_ms
}
