import { z } from 'zod'
import { DomainError } from '#core/errors.ts'
import { PIPELINE_STATUSES } from '#core/pipeline/transitions.ts'
import { listAskPipelineSteps, listAskPipelines } from '#store/ask-reads/pipelines.ts'
import { defineAskTool, Limit, refOf } from '../define-ask-tool.ts'

export const listPipelinesTool = defineAskTool({
  name: 'list_pipelines',
  description: 'Pipelines (jobs of several runs), newest first, with their status and error.',
  input: z.strictObject({
    status: z.enum(PIPELINE_STATUSES).optional(),
    name: z.string().max(100).optional(),
    limit: Limit,
  }),
  async run({ read }, { limit, ...filter }) {
    const pipelines = await listAskPipelines(read, filter, limit)
    return { data: { pipelines }, rows: pipelines.length, ref: refOf('/pipelines', { limit }) }
  },
})

export const getPipelineTool = defineAskTool({
  name: 'get_pipeline',
  description: 'One pipeline with the state of each of its steps and what it waits for.',
  input: z.strictObject({ pipeline_id: z.string().regex(/^pl_[0-9a-z]{26}$/) }),
  async run({ read }, { pipeline_id }) {
    const [[pipeline], steps] = await Promise.all([
      listAskPipelines(read, { pipeline_id }, 1),
      listAskPipelineSteps(read, pipeline_id),
    ])
    if (pipeline === undefined) throw new DomainError('not_found', `there is no pipeline ${pipeline_id}`)
    return { data: { ...pipeline, steps }, rows: 1 + steps.length, ref: `/pipelines/${pipeline_id}` }
  },
})
