import { renderValue } from '../expression/render-value.ts'
import { isObject } from '../json.ts'
import { isTerminal } from '../run/status.ts'
import { awaitAdvance, beginStep } from './begin-step.ts'
import { compensate, notTakenBack } from './compensate.ts'
import { followRuns } from './follow-runs.ts'
import { followEvent, followTimer } from './follow-waits.ts'
import type { AdvanceFacts, ChildRecord, PipelineSnapshot } from './snapshot.ts'
import { isPipelineEnd, isStepEnd, type PipelineStatus } from './status.ts'
import type { PipelineDefinition, PipelineStep } from './types.ts'
import { endStep, isOpen, type PipelineWork, recordOf, scopeOf } from './work.ts'

export interface Advanced {
  /** how the pipeline stands now */
  at: PipelineSnapshot
  /** when it is to be looked at again, if nothing happens before; null: never */
  wake_at_ms: number | null
}

/**
 * The next state of a pipeline by what is on record and what the world says, as far as it can go by itself. The runs that it
 * wants are `starting` in the answer; those that are to stop have a `cancel_reason`. Pure: the same facts give the same answer,
 * and asking again with nothing new changes nothing.
 */
export function advancePipeline(
  definition: PipelineDefinition,
  snapshot: PipelineSnapshot,
  facts: AdvanceFacts,
): Advanced {
  const work: PipelineWork = { definition, at: structuredCloneOf(snapshot), facts }
  if (isPipelineEnd(snapshot.status)) return { at: work.at, wake_at_ms: null }
  learn(work)
  const { at } = work
  heedCancel(at)
  let moved = true
  while (moved) {
    moved = false
    for (const step of definition.steps) if (follow(work, step)) moved = true
  }
  conclude(work)
  return { at, wake_at_ms: isPipelineEnd(at.status) ? null : wakeAt(work) }
}

/** The records are JSON, so that a copy is one as well. */
function structuredCloneOf(snapshot: PipelineSnapshot): PipelineSnapshot {
  return JSON.parse(JSON.stringify(snapshot)) as PipelineSnapshot
}

/** Whoever cancels stops what is at work, also in a pipeline that fails already. What is being taken back is taken back. */
function heedCancel(at: PipelineSnapshot): void {
  if (at.cancel === null || at.closing?.as === 'cancelled') return
  if (at.closing !== null && at.steps.every(({ state }) => isStepEnd(state))) return
  const error = { code: 'cancelled', message: at.cancel.reason ?? 'it was cancelled' }
  at.closing = { as: 'cancelled', compensate: true, error }
}

/** What the runs have come to. */
function learn({ at, facts }: PipelineWork): void {
  for (const child of at.children) {
    if (!isOpen(child)) continue
    const run = facts.runs.get(child.run_id)
    if (run !== undefined) {
      const { status, acted, outputs, error, ended_at_ms } = run
      Object.assign(child, { status, acted, not_before_ms: null })
      if (isTerminal(status)) Object.assign(child, { outputs, error, ended_at_ms: ended_at_ms ?? facts.now_ms })
      continue
    }
    const start = facts.starts.get(child.run_id)
    if (start?.kind === 'refused')
      Object.assign(child, { status: 'refused', error: start.error, ended_at_ms: facts.now_ms })
    if (start?.kind === 'later') child.not_before_ms = start.at_ms
  }
}

function follow(work: PipelineWork, step: PipelineStep): boolean {
  const { state } = recordOf(work, step.id)
  if (isStepEnd(state)) return false
  const isAtWork = state === 'running' || state === 'awaiting_approval'
  if (step.kind === 'run' && isAtWork) return followRuns(work, step)
  if (work.at.closing !== null) return closeStep(work, step)
  if (state === 'pending') return beginStep(work, step)
  if (step.kind === 'timer') return followTimer(work, step)
  return step.kind === 'event' ? followEvent(work, step) : awaitAdvance(work, step)
}

/** With a pipeline that does not go on ends whatever only waits; what had not begun was never wanted. */
function closeStep(work: PipelineWork, step: PipelineStep): boolean {
  const isBegun = recordOf(work, step.id).state !== 'pending'
  const isCancelled = work.at.closing?.as === 'cancelled'
  return endStep(work, step, isBegun || isCancelled ? 'cancelled' : 'skipped', {
    reason: 'the pipeline does not go on',
  })
}

function conclude(work: PipelineWork): void {
  const { at, definition } = work
  if (!at.steps.every(({ state }) => isStepEnd(state))) {
    at.status = statusOf(work)
    return
  }
  if (at.closing !== null) {
    if (at.closing.compensate && compensate(work)) {
      at.status = at.children.some(isAsking) ? 'blocked' : 'running'
      return
    }
    at.status = at.closing.as
    at.error = endError(at)
    return
  }
  try {
    const outputs = renderValue(definition.outputs, scopeOf(work))
    at.outputs = isObject(outputs) ? outputs : {}
    at.status = 'succeeded'
  } catch (error) {
    at.status = 'failed'
    at.error = {
      code: 'expression_failed',
      message: `outputs: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
}

/** Why it ends so, and what people have to take back by hand. */
function endError(at: PipelineSnapshot): PipelineSnapshot['error'] {
  const lacking = notTakenBack(at)
  const error = at.closing?.error ?? null
  if (error === null || lacking.length === 0) return error
  return { ...error, message: `${error.message}; not taken back: ${lacking.join(', ')}` }
}

function statusOf({ at }: PipelineWork): PipelineStatus {
  const begun = at.steps.filter(({ state }) => state !== 'pending' && !isStepEnd(state))
  const isPeoples = ({ state }: (typeof begun)[number]) => state === 'ready' || state === 'awaiting_approval'
  return begun.length > 0 && begun.every(isPeoples) ? 'blocked' : 'running'
}

const isAsking = (child: ChildRecord) => isOpen(child) && child.status === 'awaiting_approval'

function wakeAt({ at }: PipelineWork): number | null {
  const times = [
    ...at.steps.flatMap(({ state, fire_at_ms, deadline_ms, paused_at_ms, timed_out }) => {
      if (state === 'waiting_timer') return [fire_at_ms]
      return isStepEnd(state) || paused_at_ms !== null || timed_out ? [] : [deadline_ms]
    }),
    ...at.children.flatMap((child) => (isOpen(child) ? [child.not_before_ms] : [])),
  ].filter((time) => time !== null)
  return times.length === 0 ? null : Math.min(...times)
}
