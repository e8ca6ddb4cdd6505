import { isObject, type JsonObject } from '../json/json.ts'
import { hasFailed, isOpen } from './pipeline-facts.ts'
import type { ChildRecord, PipelineError, PipelineStepRecord } from './snapshot.ts'
import type { RunStep } from './types.ts'
import { endStep, isAwaitingApproval, type PipelineWork, recordOf, render, runsOf, scopeNoting } from './work.ts'

/** The most characters that a step can pass on; larger data belongs in an artifact. */
const MAX_OUTPUT = 1024 * 1024
/** Approximate limit of the inputs, in characters, of the runs that one evaluation starts. */
const MAX_CLAIMED = 262_144

/** Follows the runs of a step to its end; true when its state has changed. */
export function followRuns(work: PipelineWork, step: RunStep): boolean {
  const record = recordOf(work, step.id)
  const before = record.state
  watchTime(work, record, runsOf(work, step.id))
  watchOutputs(work, step, record, runsOf(work, step.id))
  startMore(work, step, record)
  stopRuns(work, step, record)
  const runs = runsOf(work, step.id)
  if (runs.some(isOpen)) {
    showWait(work, record, runs)
    return record.state !== before
  }
  return conclude(work, step, record, runs)
}

/** Pauses the time limit while all open runs wait for people, even if the pipeline was not evaluated meanwhile. */
function watchTime({ facts }: PipelineWork, record: PipelineStepRecord, runs: ChildRecord[]): void {
  const open = runs.filter(isOpen)
  if (record.paused_at_ms === null && open.length > 0 && open.every(isAwaitingApproval)) {
    const since = open.map(({ run_id }) => facts.runs.get(run_id)?.awaiting_since_ms ?? facts.now_ms)
    record.paused_at_ms = Math.min(facts.now_ms, Math.max(record.started_at_ms ?? 0, ...since))
  }
  if (record.deadline_ms !== null && (record.paused_at_ms ?? facts.now_ms) >= record.deadline_ms)
    record.timed_out = true
}

/** Detects oversized outputs before the last run: no more runs begin, and later evaluations hold less. */
function watchOutputs({ missing }: PipelineWork, step: RunStep, record: PipelineStepRecord, runs: ChildRecord[]): void {
  if (record.error !== null) return
  const size = runs.reduce((sum, run) => sum + (run.left_out_bytes ?? JSON.stringify(run.outputs ?? {}).length), 0)
  if (size <= MAX_OUTPUT) return
  // the outputs that were left out may be smaller than that
  if (runs.some(isLeftOut)) missing.add(step.id)
  const message = `its outputs have more than ${MAX_OUTPUT} characters`
  record.error = { code: 'outputs_too_large', message, step: step.id }
}

function isLeftOut({ left_out_bytes }: ChildRecord): boolean {
  return typeof left_out_bytes === 'number'
}

/** Adds runs until one has failed, within the step's parallelism. */
function startMore(work: PipelineWork, step: RunStep, record: PipelineStepRecord): void {
  const items = record.items ?? [null]
  const runs = runsOf(work, step.id)
  let open = runs.filter(isOpen).length
  const parallel = step.for_each?.parallel ?? 1
  if (record.error !== null || record.timed_out || work.at.closing !== null || runs.some(hasFailed)) return
  let size = 0
  // the others start once these are running
  for (let index = runs.length; index < items.length && open < parallel && size < MAX_CLAIMED; index += 1, open += 1) {
    const inputs = inputsOf(work, step, record, index)
    if (!('inputs' in inputs)) {
      record.error = inputs
      return
    }
    size += JSON.stringify(inputs.inputs).length
    work.at.children.push(childOf(work, { step_id: step.id, index, role: 'run', inputs: inputs.inputs }))
  }
}

export function childOf(
  { facts }: PipelineWork,
  wanted: Pick<ChildRecord, 'step_id' | 'index' | 'role' | 'inputs'>,
): ChildRecord {
  return {
    ...wanted,
    run_id: facts.nextRunId(),
    status: 'starting',
    acted: false,
    outputs: null,
    error: null,
    ended_at_ms: null,
    not_before_ms: null,
    cancel_reason: null,
  }
}

function inputsOf(
  work: PipelineWork,
  step: RunStep,
  { items, advanced }: PipelineStepRecord,
  index: number,
): { inputs: JsonObject } | PipelineError {
  const entry = items === null ? {} : { item: items[index] ?? null, index }
  const filled = render(step.with, scopeNoting(work, entry))
  if ('error' in filled) return { code: 'expression_failed', message: `with: ${filled.error}`, step: step.id }
  return { inputs: { ...(isObject(filled.value) ? filled.value : {}), ...advanced?.inputs } }
}

/** Tells runs to stop. While the pipeline is failing, running ones may finish. */
function stopRuns(work: PipelineWork, step: RunStep, record: PipelineStepRecord): void {
  const { closing } = work.at
  const reason = record.timed_out
    ? `the step ${step.id} has run out of time`
    : closing && `the pipeline is ${ENDING[closing.as]}`
  if (reason === null) return
  for (const child of runsOf(work, step.id)) {
    const mayEnd = !record.timed_out && closing?.as !== 'cancelled' && child.status === 'running'
    if (!isOpen(child) || mayEnd) continue
    child.cancel_reason ??= reason
    if (child.status === 'starting')
      Object.assign(child, { status: 'refused', error: givenUp(record, reason), ended_at_ms: work.facts.now_ms })
  }
}

/** Returns why an unrecorded run is abandoned. */
function givenUp({ id, timed_out, reason: held }: PipelineStepRecord, reason: string): PipelineError {
  const message = `its run never began: ${reason}${held === null ? '' : `; it was held back: ${held}`}`
  return { code: timed_out ? 'timeout' : 'cancelled', message, step: id }
}

const ENDING = { failed: 'failing', rejected: 'rejected', cancelled: 'being cancelled' } as const

/** A step awaits approval when all its open runs do; until then its deadline is put off. */
function showWait({ facts }: PipelineWork, record: PipelineStepRecord, runs: ChildRecord[]): void {
  const open = runs.filter(isOpen)
  const isAsked = open.every(isAwaitingApproval)
  if (isAsked && record.paused_at_ms === null) record.paused_at_ms = facts.now_ms
  if (!isAsked && record.paused_at_ms !== null) {
    if (record.deadline_ms !== null) record.deadline_ms += facts.now_ms - record.paused_at_ms
    record.paused_at_ms = null
  }
  record.state = isAsked ? 'awaiting_approval' : 'running'
  const late = facts.starts.get(open.find(({ status }) => status === 'starting')?.run_id ?? '')
  if (late?.kind === 'later') record.reason = late.reason
  else if (open.every(({ status }) => status !== 'starting')) record.reason = null
}

function conclude(work: PipelineWork, step: RunStep, record: PipelineStepRecord, runs: ChildRecord[]): true {
  const items = record.items ?? [null]
  const bad = runs.find(hasFailed)
  if (record.error !== null) return endStep(work, step, 'failed', { error: record.error })
  if (bad === undefined && runs.length === items.length) {
    if (runs.some(isLeftOut)) work.missing.add(step.id)
    const outputs = runs.map((run) => run.outputs ?? {})
    return endStep(work, step, 'succeeded', {
      outputs: step.for_each === undefined ? (outputs[0] ?? {}) : { items: outputs },
    })
  }
  const error = errorOf(step, bad)
  if (record.timed_out) {
    // `halted`, `frozen`, …: what kept a run from starting until its time was over
    const held = record.reason === null ? '' : `: ${record.reason}`
    const message = `its runs did not end in time${held}`
    return endStep(work, step, 'failed', { error: { ...error, code: 'timeout', message } })
  }
  if (bad === undefined || wasStopped(bad)) return endStep(work, step, 'cancelled', { error })
  return endStep(work, step, bad.status === 'rejected' || bad.status === 'expired' ? bad.status : 'failed', { error })
}

function wasStopped({ status, cancel_reason }: ChildRecord): boolean {
  return status === 'cancelled' || (status === 'refused' && cancel_reason !== null)
}

function errorOf(step: RunStep, run: ChildRecord | undefined): PipelineError {
  const error = run?.error ?? {
    code: `run_${run?.status ?? 'cancelled'}`,
    message: run === undefined ? 'its run did not begin' : `its run is ${run.status}`,
  }
  const isOnRecord = run !== undefined && run.status !== 'refused'
  return { ...error, step: step.id, ...(isOnRecord && { run_id: run.run_id }) }
}
