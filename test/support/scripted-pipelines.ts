import { ApplicationFailure } from '@temporalio/common'
import type { AdvanceOutcome, PipelineActivities } from '#core/pipeline/contract.ts'

/** What one look at the record comes to: an answer, or a failure. */
export type Look =
  | AdvanceOutcome
  | ApplicationFailure
  | ((cancelled: boolean) => AdvanceOutcome | Promise<AdvanceOutcome>)

/** The activity of pipeline workflows without a record: looks follow a script, and the last one repeats. */
export function createScriptedPipelines() {
  const scripts = new Map<string, Look[]>()
  const looks = new Map<string, boolean[]>()
  const activities: PipelineActivities = {
    async advancePipeline({ pipeline_id, cancelled }) {
      looks.set(pipeline_id, [...(looks.get(pipeline_id) ?? []), cancelled])
      const script = scripts.get(pipeline_id) ?? []
      const next = script.length > 1 ? script.shift() : script[0]
      if (next === undefined) throw ApplicationFailure.nonRetryable(`no script for ${pipeline_id}`)
      if (next instanceof ApplicationFailure) throw next
      return typeof next === 'function' ? await next(cancelled) : next
    },
  }
  return {
    activities,
    script: (pipelineId: string, each: Look[]) => void scripts.set(pipelineId, [...each]),
    /** whether each look so far was told of a cancellation */
    looks: (pipelineId: string) => looks.get(pipelineId) ?? [],
  }
}

export type ScriptedPipelines = ReturnType<typeof createScriptedPipelines>

export const waits = (for_ms: number | null): Look => ({ kind: 'wait', for_ms, summary: 'updates of its runs' })
export const ended = (status: 'succeeded' | 'failed' | 'rejected' | 'cancelled'): Look => ({ kind: 'ended', status })
export const away: Look = ApplicationFailure.retryable('the database is away')
