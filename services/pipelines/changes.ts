import { stepsNotTakenBack } from '#core/pipeline/compensate.ts'
import type { PipelineSnapshot } from '#core/pipeline/snapshot.ts'
import { isPipelineEnd, isStepEnd } from '#core/pipeline/transitions.ts'
import { isoTime } from '#core/time/time.ts'
import type { PipelineEventDraft, PipelinePatch } from '#store/pipelines/pipelines.ts'

/**
 * Returns the changes between two states of a pipeline, with their events; undefined for none. `version` is that of the record before: a
 * repeated state, such as a run that waits for people a second time, is reported again.
 */
export function changesOf(
  before: PipelineSnapshot,
  after: PipelineSnapshot,
  version: number,
): Omit<PipelinePatch, 'version' | 'audit'> | undefined {
  const old = new Map(before.steps.map((step) => [step.id, JSON.stringify(step)]))
  const oldRuns = new Map(before.children.map((child) => [child.run_id, JSON.stringify(child)]))
  const steps = after.steps.filter((step) => JSON.stringify(step) !== old.get(step.id))
  const children = after.children.filter((child) => JSON.stringify(child) !== oldRuns.get(child.run_id))
  const { id, status, outputs, error, closing } = after
  const isSame =
    steps.length + children.length === 0 &&
    status === before.status &&
    JSON.stringify(closing) === JSON.stringify(before.closing)
  if (isSame) return undefined
  return { id, status, outputs, error, closing, steps, children, events: eventsOf(before, after, version) }
}

function eventsOf(before: PipelineSnapshot, after: PipelineSnapshot, version: number): PipelineEventDraft[] {
  const began = before.status === 'queued' ? [{ key: 'pipeline/started', type: 'pipeline.started' }] : []
  const moves = [...runEvents(before, after), ...stepEvents(before, after)]
  return [...began, ...moves.map((each) => ({ ...each, key: `${each.key}/${version}` })), ...endEvents(before, after)]
}

function stepEvents(before: PipelineSnapshot, after: PipelineSnapshot): PipelineEventDraft[] {
  return after.steps.flatMap(({ id, state, reason, error, fire_at_ms, outputs }, index): PipelineEventDraft[] => {
    const old = before.steps[index]
    if (old === undefined || old.state === state) return []
    const data = {
      ...(reason !== null && { reason }),
      ...(error !== null && { error: { ...error } }),
      ...(state === 'waiting_timer' && fire_at_ms !== null && { fire_at: isoTime(fire_at_ms) }),
      ...(isStepEnd(state) && outputs !== null && { outputs: Object.keys(outputs) }),
    }
    return [{ key: `step/${id}/${state}`, type: `step.${state}`, step: id, data }]
  })
}

function runEvents(before: PipelineSnapshot, after: PipelineSnapshot): PipelineEventDraft[] {
  const old = new Map(before.children.map((child) => [child.run_id, child.status]))
  return after.children.flatMap(({ run_id, step_id, index, role, status, error }): PipelineEventDraft[] => {
    // admission reports the start of a run
    if (status === 'starting' || old.get(run_id) === status) return []
    const data = { run_id, index, role, status, ...(error !== null && { error: { ...error } }) }
    const type = status === 'refused' ? 'run.refused' : 'run.moved'
    return [{ key: `run/${run_id}/${status}`, type, step: step_id, data }]
  })
}

function endEvents(before: PipelineSnapshot, after: PipelineSnapshot): PipelineEventDraft[] {
  const { status, error, closing } = after
  const stops: PipelineEventDraft[] =
    before.closing === null && closing !== null
      ? [
          {
            key: 'pipeline/closing',
            type: 'pipeline.closing',
            data: { as: closing.as, compensate: closing.compensate },
          },
        ]
      : []
  if (!isPipelineEnd(status)) return stops
  const left = stepsNotTakenBack(after)
  const data = {
    ...(error !== null && { error: { ...error } }),
    ...(left.length > 0 && { not_taken_back: left }),
  }
  const extra = Object.keys(data).length === 0 ? {} : { data }
  return [...stops, { key: 'pipeline/ended', type: `pipeline.${status}`, ...extra }]
}
