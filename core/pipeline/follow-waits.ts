import type { JsonObject } from '../json/json.ts'
import { isOfDryRun } from '../skill/event-origin.ts'
import { isoTime } from '../time/time.ts'
import type { EventStep, TimerStep } from './types.ts'
import { endStep, evaluate, failStep, type PipelineWork, recordOf, scopeNoting } from './work.ts'

/** A timer fires by the clock of the record. */
export function followTimer(work: PipelineWork, step: TimerStep): boolean {
  const { fire_at_ms } = recordOf(work, step.id)
  if (fire_at_ms === null || work.facts.now_ms < fire_at_ms) return false
  return endStep(work, step, 'succeeded', { outputs: { fired_at: isoTime(fire_at_ms) } })
}

/** Ends the wait at the first matching event, even one that arrived exactly at the timeout. */
export function followEvent(work: PipelineWork, step: EventStep): boolean {
  const record = recordOf(work, step.id)
  const read = work.facts.events.get(step.id)
  if (read !== undefined && (record.after_id === null || read.up_to > record.after_id)) {
    const event = read.events.find((each) => doesMatch(work, step, each))
    record.after_id = read.up_to
    if (event !== undefined) return endStep(work, step, 'succeeded', { outputs: { event } })
  }
  if (record.deadline_ms === null || work.facts.now_ms < record.deadline_ms) return false
  return failStep(work, step, 'timeout', `no matching event arrived on ${step.topic} in time`)
}

/** An event for which the condition cannot be evaluated does not match, and neither does one of a dry run. */
function doesMatch(work: PipelineWork, { matches }: EventStep, event: JsonObject): boolean {
  if (isOfDryRun(event)) return false
  if (matches === undefined) return true
  const answer = evaluate(matches, scopeNoting(work, { event }))
  return 'value' in answer && answer.value === true
}
