import type { PipelineEnd } from '#core/pipeline/transitions.ts'
import { away, ended, type Look, type ScriptedPipelines, waits } from '#test/support/scripted-pipelines.ts'
import type { ScriptedPipeline } from '#test/support/scripted-runs.ts'

/** One life of a pipeline whose history is recorded under this name. */
export interface PipelineScenario {
  name: string
  looks: Look[]
  /** its history may not grow; the one that is recorded is that of the first execution */
  short?: boolean
  play?(pipeline: ScriptedPipeline, pipelines: ScriptedPipelines): Promise<unknown>
  ends: PipelineEnd
}

/** As soon as it waits. */
const once = (act: (pipeline: ScriptedPipeline) => Promise<unknown>) => async (pipeline: ScriptedPipeline) => {
  await pipeline.waits()
  await act(pipeline)
}

export const PIPELINE_SCENARIOS: PipelineScenario[] = [
  { name: 'pipeline-straight', looks: [ended('succeeded')], ends: 'succeeded' },
  { name: 'pipeline-by-a-timer', looks: [waits(20), waits(20), ended('succeeded')], ends: 'succeeded' },
  {
    name: 'pipeline-woken',
    looks: [waits(null), ended('failed')],
    play: once((pipeline) => pipeline.wake()),
    ends: 'failed',
  },
  { name: 'pipeline-rejected', looks: [waits(5), ended('rejected')], ends: 'rejected' },
  {
    name: 'pipeline-cancelled-in-temporal',
    // its runs end by and by
    looks: [waits(null), waits(20), waits(20), ended('cancelled')],
    play: once((pipeline) => pipeline.handle.cancel()),
    ends: 'cancelled',
  },
  { name: 'pipeline-record-away', looks: [away, away, away, ended('succeeded')], ends: 'succeeded' },
  {
    name: 'pipeline-went-on-anew',
    looks: [waits(5), waits(5), waits(5), waits(5), waits(5), waits(5), ended('succeeded')],
    short: true,
    ends: 'succeeded',
  },
]
