import { z } from 'zod'
import { PIPELINE_STATUSES } from '#core/pipeline/transitions.ts'
import { listAskPipelines } from '#store/ask-reads/pipelines.ts'
import { defineAskTool, refOf } from '../define-ask-tool.ts'
import { Limit } from '../tool-inputs.ts'

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
