import { DomainError } from '#core/errors.ts'
import type { RunStep, RunStepDetail } from '#core/run/step-schema.ts'
import type { StepViews } from '#store/runs/step-views.ts'
import { toStepHistory, toStepRecord } from './step-record.ts'

const MAX_STEP_BYTES = 262_144

/** Returns one step of a run with its attempts and its log. A step of a foreign run is treated as unknown. */
export async function getStep(
  ctx: { workspace_id: string; steps: StepViews; sha256: (text: string) => string },
  runId: string,
  stepId: string,
): Promise<RunStepDetail> {
  const [row] = (await ctx.steps.list(ctx.workspace_id, runId, stepId)) ?? []
  if (row === undefined) throw new DomainError('not_found', `no step ${stepId} of a run ${runId}`)
  const history = await ctx.steps.history(ctx.workspace_id, runId, stepId)
  return {
    ...toStepRecord(row, { run_id: runId, most: MAX_STEP_BYTES, sha256: ctx.sha256 }),
    ...toStepHistory(history),
  }
}

/** In a list each piece of data is shown whole up to this size; the step's own address shows more. */
const MAX_BYTES = 4_096

/** The steps of a run in the order of its plan, with what went in and what came out, each piece of at most `most` bytes whole. */
export async function listSteps(
  ctx: { workspace_id: string; steps: StepViews; sha256: (text: string) => string },
  runId: string,
  most = MAX_BYTES,
): Promise<RunStep[]> {
  const rows = await ctx.steps.list(ctx.workspace_id, runId)
  if (rows === undefined) throw new DomainError('not_found', `no run ${runId}`)
  return rows.map((row) => toStepRecord(row, { run_id: runId, most, sha256: ctx.sha256 }))
}
