import { parseCron } from '../schedule/cron.ts'
import { DEFAULT_DST, nextFires } from '../schedule/next-fires.ts'
import { cutText } from '../text/text.ts'
import { readDelay } from './read-timer.ts'
import { isStepEnd } from './transitions.ts'
import { MAX_ITEMS, type PipelineStep, type RunStep, type TimerStep } from './types.ts'
import { endStep, evaluate, failStep, type PipelineWork, recordOf, render, scopeNoting } from './work.ts'

/** Begins or skips a step once all that it needs has ended; true when its state has changed. */
export function beginStep(work: PipelineWork, step: PipelineStep): boolean {
  const needs = step.needs.map((id) => recordOf(work, id))
  if (!needs.every(({ state }) => isStepEnd(state))) return false
  const isPassedOver = needs.length > 0 && needs.every(({ state }) => state === 'skipped')
  if (isPassedOver && step.when === undefined) {
    return endStep(work, step, 'skipped', { reason: 'every step it needs was skipped' })
  }
  if (step.when !== undefined) {
    const answer = evaluate(step.when, scopeNoting(work))
    if ('error' in answer) return failStep(work, step, 'expression_failed', `when: ${answer.error}`)
    if (typeof answer.value !== 'boolean')
      return failStep(work, step, 'expression_failed', 'when: the result is neither true nor false')
    if (!answer.value) return endStep(work, step, 'skipped', { reason: 'its condition is false' })
  }
  return begin(work, step)
}

/** Begins a `ready` step that a user has advanced, or expires it; true when its state has changed. */
export function awaitAdvance(work: PipelineWork, step: RunStep): boolean {
  const record = recordOf(work, step.id)
  if (record.advanced !== null) return beginRuns(work, step)
  if (record.deadline_ms === null || work.facts.now_ms < record.deadline_ms) return false
  const message = 'it was not advanced in time'
  return endStep(work, step, 'expired', { error: { code: 'timeout', message, step: step.id } })
}

function begin(work: PipelineWork, step: PipelineStep): true {
  const { now_ms } = work.facts
  const record = recordOf(work, step.id)
  switch (step.kind) {
    case 'timer': {
      const fire = fireAt(work, step)
      if ('error' in fire) return failStep(work, step, 'expression_failed', `schedule: ${fire.error}`)
      Object.assign(record, { state: 'waiting_timer', started_at_ms: now_ms, fire_at_ms: fire.at_ms })
      return true
    }
    case 'event':
      Object.assign(record, { state: 'waiting_event', started_at_ms: now_ms, deadline_ms: now_ms + step.timeout_ms })
      return true
    case 'run':
      if (step.gate !== 'manual') return beginRuns(work, step)
      Object.assign(record, { state: 'ready', deadline_ms: now_ms + step.timeout_ms })
      return true
  }
}

/** Returns when the timer fires, or what is wrong with its delay. */
function fireAt(work: PipelineWork, { timer }: TimerStep): { at_ms: number } | { error: string } {
  const { now_ms } = work.facts
  if ('delay_ms' in timer) return { at_ms: now_ms + timer.delay_ms }
  if ('delay' in timer) {
    const delay = render(timer.delay, scopeNoting(work))
    if ('error' in delay) return delay
    const delay_ms = readDelay(String(delay.value))
    return delay_ms === undefined
      ? {
          error: `${cutText(JSON.stringify(delay.value), 100)} is not a delay of more than 0 and at most 30d, such as 15m`,
        }
      : { at_ms: now_ms + delay_ms }
  }
  const { cron, fault } = parseCron(timer.cron)
  // cannot happen: the expression was checked when the bundle was compiled
  if (cron === undefined) throw new Error(`${timer.cron}: ${fault.message}`)
  const rule = { cron, timezone: timer.timezone, days: 'and', dst: DEFAULT_DST } as const
  return { at_ms: nextFires(rule, now_ms, 1)[0] ?? now_ms }
}

function beginRuns(work: PipelineWork, step: RunStep): true {
  const { now_ms } = work.facts
  const record = recordOf(work, step.id)
  Object.assign(record, { started_at_ms: now_ms })
  if (step.for_each !== undefined) {
    const items = evaluate(step.for_each.items, scopeNoting(work))
    if ('error' in items) return failStep(work, step, 'expression_failed', `for_each: ${items.error}`)
    if (!Array.isArray(items.value))
      return failStep(work, step, 'expression_failed', 'for_each: the result is not a list')
    if (items.value.length > MAX_ITEMS)
      return failStep(work, step, 'too_many_items', `${items.value.length} entries; at most ${MAX_ITEMS} are allowed`)
    if (items.value.length === 0) return endStep(work, step, 'succeeded', { outputs: { items: [] } })
    record.items = items.value
  }
  Object.assign(record, { state: 'running', deadline_ms: now_ms + step.timeout_ms })
  return true
}
