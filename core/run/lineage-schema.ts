import { z } from 'zod'
import { PipelineId } from '../pipeline/schema.ts'
import { PIPELINE_STATUSES } from '../pipeline/transitions.ts'
import { RunId } from './schema.ts'
import { RUN_STATUSES } from './status.ts'

const RelatedRun = z
  .object({
    run_id: RunId,
    template: z.string().meta({ description: 'With its pack', example: 'sre/service-recovery' }),
    status: z.enum(RUN_STATUSES),
    created_at: z.iso.datetime(),
    trigger: z.string().optional().meta({
      description:
        'What started it, as `provenance.trigger.type` names it: `bus` for an event of the run before it, `again` and `retry` for a repetition of that run',
      example: 'again',
    }),
    skill: z.string().optional().meta({ description: 'The skill that started it', example: 'sre/tell-the-team' }),
  })
  .meta({ id: 'RelatedRun', description: 'A run that led to another, or followed from it.' })

export const RunLineage = z
  .object({
    run_id: RunId,
    story: z.array(z.object({ title: z.string(), text: z.string() })).meta({
      description:
        'What its audit records say, in the words of `svc lineage`; empty while its first record has no place in the chain, and of a run with more than 5,000 records',
      example: [
        { title: 'asked', text: 'by usr_… (jwt, console) for usr_… by way of console, 2026-01-05T09:30:00.000Z' },
      ],
    }),
    as_approved: z.boolean().nullable().meta({
      description:
        'Nothing that had to be approved ran otherwise, by those records; null where there is no story, or nothing ran that had to be approved',
    }),
    pipeline: z
      .object({
        id: PipelineId,
        name: z.string().meta({ example: 'dataset-release' }),
        step: z.string().meta({ description: 'The step that it is a run of, or that it compensates' }),
        role: z.enum(['run', 'compensation']),
        status: z.enum(PIPELINE_STATUSES),
      })
      .optional()
      .meta({ description: 'The pipeline that started it' }),
    origins: z.array(RelatedRun).meta({ description: 'The runs that led to it, the nearest first' }),
    led_to: z.array(RelatedRun).meta({
      description:
        'The runs that skills started for its events and those that repeat it, the oldest first, each among the first 1,000 of its kind after it',
    }),
  })
  .meta({ id: 'RunLineage', description: 'Where a run came from, what became of it, and what led to what.' })
export type RunLineage = z.infer<typeof RunLineage>
