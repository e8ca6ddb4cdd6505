import type { createClient, Schema } from '#client/create-client.ts'
import { bodyOf, once } from './api-answers.ts'
import { streamEvents } from './stream-events.ts'

/** Calls of the API about pipelines. */
export function createApiPipelines(client: ReturnType<typeof createClient>) {
  const at = (id: string) => ({ path: { id } })
  const ofStep = (id: string, step: string) => ({ path: { id, step } })
  return {
    startPipeline: (body: Schema<'PipelineRequest'>) =>
      once((header) => bodyOf(client.POST('/pipelines/run', { params: { header }, body }))),
    pipeline: (id: string) => bodyOf(client.GET('/pipelines/{id}', { params: at(id) })),
    pipelineConfig: (id: string, entry: number) =>
      bodyOf(client.GET('/pipelines/{id}/config', { params: { ...at(id), query: { entry } } })),
    bundles: () => bodyOf(client.GET('/console/api/pipeline-bundles')),
    advancePipelineStep: (id: string, step: string, body: Schema<'StepAdvanceRequest'>) =>
      once((header) =>
        bodyOf(client.POST('/pipelines/{id}/steps/{step}/advance', { params: { ...ofStep(id, step), header }, body })),
      ),
    approvePipelineStep: (id: string, step: string, body: Schema<'StepDecisionRequest'>) =>
      once((header) =>
        bodyOf(client.POST('/pipelines/{id}/steps/{step}/approve', { params: { ...ofStep(id, step), header }, body })),
      ),
    cancelPipeline: (id: string, body: Schema<'PipelineCancellation'>) =>
      once((header) => bodyOf(client.POST('/pipelines/{id}/cancel', { params: { ...at(id), header }, body }))),

    /** Makes one connection to a pipeline's events after `after_seq`; `cut` when it broke before the pipeline ended. */
    streamPipeline: (
      id: string,
      after_seq: number,
      onEvent: (event: Schema<'PipelineEvent'>) => 'continue' | 'enough',
      signal?: AbortSignal,
    ) =>
      streamEvents(
        (over) =>
          client.GET('/pipelines/{id}/stream', {
            params: { ...at(id), query: { after_seq } },
            headers: { accept: 'text/event-stream' },
            signal: over,
            parseAs: 'stream',
          }),
        onEvent,
        signal,
      ),
  }
}
