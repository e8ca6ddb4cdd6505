import { renderValue } from '../expression/parse-template-string.ts'
import { isObject } from '../json/json.ts'
import { isTerminal } from '../run/status.ts'
import { wakeAt } from './awaited-updates.ts'
import { awaitAdvance, beginStep } from './begin-step.ts'
import { compensate } from './compensate.ts'
import { followRuns } from './follow-runs.ts'
import { followEvent, followTimer } from './follow-waits.ts'
import { isOpen } from './pipeline-facts.ts'
import type { AdvanceFacts, PipelineSnapshot } from './snapshot.ts'
import { isPipelineEnd, isStepEnd, type PipelineStatus } from './transitions.ts'
import type { PipelineDefinition, PipelineStep } from './types.ts'
import { endStep, isAwaitingApproval, type PipelineWork, recordOf, scopeNoting } from './work.ts'

export interface Advanced {
  /** the current state of the pipeline */
  at: PipelineSnapshot
  /** the time of the next evaluation without an event; null: never */
  wake_at_ms: number | null
  /** steps whose outputs were left out and are needed: if there are any, the caller reads them and evaluates again */
  missing: string[]
}

/**
 * Returns the next state of a pipeline, from its record and the facts, as far as it can advance now. Runs to be started are `starting` in
 * the answer; runs to be stopped have a `cancel_reason`. Pure: the same facts give the same answer, and a repeat without new facts changes
 * nothing.
 */
export function advancePipeline(
  definition: PipelineDefinition,
  snapshot: PipelineSnapshot,
  facts: AdvanceFacts,
): Advanced {
  const work: PipelineWork = { definition, at: copyOf(snapshot), facts, missing: new Set() }
  if (isPipelineEnd(snapshot.status)) return { at: work.at, wake_at_ms: null, missing: [] }
  takeInRuns(work)
  const { at } = work
  applyCancel(at)
  let moved = true
  while (moved) {
    moved = false
    for (const step of definition.steps) if (follow(work, step)) moved = true
  }
  conclude(work)
  return { at, wake_at_ms: isPipelineEnd(at.status) ? null : wakeAt(at), missing: [...work.missing] }
}

/** A record is JSON, so this copies all of it. */
function copyOf(snapshot: PipelineSnapshot): PipelineSnapshot {
  return JSON.parse(JSON.stringify(snapshot)) as PipelineSnapshot
}

/** A cancellation also stops the open runs of a pipeline that is failing already. Compensations that have begun are finished. */
function applyCancel(at: PipelineSnapshot): void {
  if (at.cancel === null || at.closing?.as === 'cancelled') return
  if (at.closing !== null && at.steps.every(({ state }) => isStepEnd(state))) return
  const error = { code: 'cancelled', message: at.cancel.reason ?? 'it was cancelled' }
  at.closing = { as: 'cancelled', compensate: true, error }
}

/** Copies the state of its runs into the record. */
function takeInRuns({ at, facts }: PipelineWork): void {
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

/** Closes a step of an ending pipeline: one that only waits is cancelled, one that has not begun is skipped. */
function closeStep(work: PipelineWork, step: PipelineStep): boolean {
  const isBegun = recordOf(work, step.id).state !== 'pending'
  const isCancelled = work.at.closing?.as === 'cancelled'
  return endStep(work, step, isBegun || isCancelled ? 'cancelled' : 'skipped', {
    reason: 'the pipeline is ending',
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
      at.status = at.children.some(isAwaitingApproval) ? 'blocked' : 'running'
      return
    }
    at.status = at.closing.as
    at.error = at.closing.error
    return
  }
  try {
    const outputs = renderValue(definition.outputs, scopeNoting(work))
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

function statusOf({ at }: PipelineWork): PipelineStatus {
  const begun = at.steps.filter(({ state }) => state !== 'pending' && !isStepEnd(state))
  const isForPeople = ({ state }: (typeof begun)[number]) => state === 'ready' || state === 'awaiting_approval'
  return begun.length > 0 && begun.every(isForPeople) ? 'blocked' : 'running'
}
