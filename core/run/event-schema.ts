import { z } from 'zod'
import { RUN_EVENT_TYPES } from './event.ts'
import { RunId } from './schema.ts'

export const RunEvent = z
  .object({
    seq: z.int().min(1).meta({ description: 'Position in the run, from 1 without gaps' }),
    id: z.string().meta({ description: 'Unique name of the event', example: 'run_01hzy3v9k5m8q2w4x6z8b0d2f4.7' }),
    run_id: RunId,
    type: z.string().meta({
      description: `One of ${RUN_EVENT_TYPES.join(', ')}; more may come`,
      example: 'gate.opened',
    }),
    ts: z.iso.datetime(),
    step: z.string().optional(),
    actor: z.unknown().optional(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'RunEvent', description: 'Something that happened in a run.' })
export type RunEvent = z.infer<typeof RunEvent>

export const EventSnapshot = z
  .object({
    run_id: RunId,
    events: z.array(RunEvent),
    last_seq: z.int().min(0).meta({ description: 'The newest number in this answer, or `after_seq` when it is empty' }),
    terminal: z.boolean().meta({ description: 'The run has ended: no event comes after what is recorded now' }),
    has_more: z.boolean().meta({ description: 'Ask again with `after_seq` = `last_seq`' }),
  })
  .meta({ id: 'EventSnapshot', description: 'A page of the event log.' })
export type EventSnapshot = z.infer<typeof EventSnapshot>
