import { z } from 'zod'
import { Fields, PipelineId, Time } from './schema.ts'

export const PipelineEvent = z
  .object({
    seq: z.int().min(1).meta({ description: 'Position in the pipeline, from 1 without gaps' }),
    id: z.string().meta({ example: 'pl_01hzy3v9k5m8q2w4x6z8b0d2f4.3' }),
    pipeline_id: PipelineId,
    type: z.string().meta({
      description:
        '`pipeline.<status>`, `step.<state>`, `step.advanced`, `run.started`, `run.moved`, `run.refused`; more may come',
      example: 'step.waiting_timer',
    }),
    ts: Time,
    step: z.string().optional(),
    actor: z.unknown().optional(),
    data: Fields,
  })
  .meta({ id: 'PipelineEvent', description: 'Something that happened in a pipeline.' })
export type PipelineEvent = z.infer<typeof PipelineEvent>

export const PipelineEventSnapshot = z
  .object({
    pipeline_id: PipelineId,
    events: z.array(PipelineEvent),
    last_seq: z.int().min(0),
    terminal: z.boolean(),
    has_more: z.boolean(),
  })
  .meta({ id: 'PipelineEventSnapshot', description: 'A page of the event log of a pipeline.' })
