import { DomainError } from '#core/errors.ts'
import type { RunStep } from '#core/run/step-schema.ts'
import type { StepViews } from '#store/step-views.ts'
import { toStepRecord } from './step-record.ts'

/** In a list each piece of data is shown whole up to this size; the step's own address shows more. */
const MOST_BYTES = 4_096

/** The steps of a run in the order of its plan, with what went in and what came out. */
export async function listSteps(
  ctx: { workspace_id: string; steps: StepViews; sha256: (text: string) => string },
  runId: string,
): Promise<RunStep[]> {
  const rows = await ctx.steps.list(ctx.workspace_id, runId)
  if (rows === undefined) throw new DomainError('not_found', `no run ${runId}`)
  return rows.map((row) => toStepRecord(row, { run_id: runId, most: MOST_BYTES, sha256: ctx.sha256 }))
}
