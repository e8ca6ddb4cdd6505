import { z } from 'zod'
import { TRIGGER_TYPES } from '../run/search.ts'

const Time = z.iso.datetime().meta({ description: 'RFC 3339, UTC, milliseconds', example: '2026-01-05T09:30:00.000Z' })

export const HaltRefusalId = z
  .string()
  .regex(/^hrf_[0-9a-z]{26}$/)
  .meta({
    description:
      'What a halt has refused: it starts once, no matter who asks and how often, and everyone who shaped it shapes the run',
    example: 'hrf_01hzy3v9k5m8q2w4x6z8b0d2f4',
  })

/** A request that starts what was refused; its path is under the workspace. */
export const StartRequest = z
  .object({
    operation: z.enum(['runTemplate', 'receiveAlerts', 'replayInbox', 'startAgain', 'retryRun']),
    method: z.literal('POST'),
    path: z.string().meta({ example: '/triggers/alert?source=generic' }),
    body: z.record(z.string(), z.unknown()),
  })
  .meta({
    id: 'StartRequest',
    description: 'An operation of this API that starts it, by an operator, once no halt covers it.',
    example: {
      operation: 'runTemplate',
      method: 'POST',
      path: '/packs/incident/service-recovery/run',
      body: {
        inputs: { url: 'http://127.0.0.1:8080' },
        environment: 'development',
        refusal: 'hrf_01hzy3v9k5m8q2w4x6z8b0d2f4',
      },
    },
  })
export type StartRequest = z.infer<typeof StartRequest>

export const RefusedStart = z
  .object({
    id: HaltRefusalId,
    workspace_id: z.string(),
    trigger: z.enum(TRIGGER_TYPES).meta({ description: 'What asked for it' }),
    title: z.string().meta({
      description: 'What it is about: the title of an alert, the name of a schedule, the reason of a request',
      example: 'checkout answers 503',
    }),
    template: z.string().meta({ example: 'incident/service-recovery' }),
    environment: z.string(),
    requested_by: z.string().meta({ example: 'alertmanager' }),
    refused: z.int().meta({ description: 'How often; repetitions are counted in one entry', example: 3 }),
    first_at: Time,
    last_at: Time,
    start: StartRequest.optional().meta({
      description: 'Absent if its inputs hold secrets or are larger than 64 kB: then it has to be started by hand',
    }),
    run_id: z.string().optional().meta({ description: 'The run that was started for it since, if known' }),
  })
  .meta({ id: 'RefusedStart', description: 'A start that a halt has refused, and how to start it afterwards.' })
export type RefusedStart = z.infer<typeof RefusedStart>
