import { z } from 'zod'
import { RunId } from '../run/schema.ts'
import { REMOTE_JOB_STATES } from './contract.ts'

const Time = z.iso.datetime()

export const RemoteJobId = z
  .string()
  .regex(/^job_[0-9a-z]{26}$/)
  .meta({ description: 'Identifier of a remote job', example: 'job_01hzy3v9k5m8q2w4x6z8b0d2f6' })

export const RemoteJobRecord = z
  .object({
    id: RemoteJobId,
    run_id: RunId,
    step_id: z.string(),
    attempt: z.int(),
    environment: z.string(),
    queue: z.string().meta({ description: 'As the step names it' }),
    task_queue: z.string().meta({ description: 'What the environment bound it to when the attempt was opened' }),
    activity: z.string(),
    plan_hash: z.string(),
    input_digest: z.string(),
    attest: z.string().nullable().meta({
      description: 'Public key by which its result has to be signed; null where results are believed as they come',
    }),
    idempotent: z.boolean().meta({ description: 'The activity may be repeated' }),
    state: z.enum(REMOTE_JOB_STATES).meta({
      description:
        '`created`: on record, not dispatched yet; `unknown`: it may have acted, and nobody can say how it ended; `not_dispatched`: taken back before that',
    }),
    created_at: Time,
    started_at: Time.nullable().meta({ description: 'When it was dispatched to Temporal' }),
    deadline: Time.meta({ description: 'Until when its run waits for it' }),
    cancel_requested_at: Time.nullable(),
    ended_at: Time.nullable(),
    result_digest: z.string().nullable().meta({ description: 'Of the result, which is an output of its step' }),
    failure: z
      .object({ code: z.string(), message: z.string(), type: z.string().optional() })
      .nullable()
      .meta({ description: 'Why it failed. `type` and `message` may be what its worker said' }),
    identity: z.string().nullable().meta({ description: 'The worker that took it last, as it calls itself' }),
  })
  .meta({
    id: 'RemoteJob',
    description: 'An attempt of a step that an external Temporal worker does.',
    example: {
      id: 'job_01hzy3v9k5m8q2w4x6z8b0d2f6',
      run_id: 'run_01hzy3v9k5m8q2w4x6z8b0d2f4',
      step_id: 'train',
      attempt: 1,
      environment: 'production',
      queue: 'ml',
      task_queue: 'ml-gpu',
      activity: 'trainModel',
      plan_hash: `sha256:${'d'.repeat(64)}`,
      input_digest: `sha256:${'e'.repeat(64)}`,
      attest: null,
      idempotent: false,
      state: 'running',
      created_at: '2026-01-05T09:30:00.000Z',
      started_at: '2026-01-05T09:30:00.000Z',
      deadline: '2026-01-05T11:32:00.000Z',
      cancel_requested_at: null,
      ended_at: null,
      result_digest: null,
      failure: null,
      identity: null,
    },
  })
export type RemoteJobRecord = z.infer<typeof RemoteJobRecord>

export const RemoteJobDetail = RemoteJobRecord.extend({
  pending: z
    .object({
      state: z.enum(['scheduled', 'started', 'cancel_requested', 'paused', 'other']),
      attempt: z.int(),
      scheduled_at: Time.nullable(),
      started_at: Time.nullable(),
      heartbeat_at: Time.nullable(),
      heartbeat: z.string().nullable().meta({ description: 'What the last heartbeat says, cut to 2,000 characters' }),
      worker: z.string().nullable(),
      last_failure: z.string().nullable(),
    })
    .nullable()
    .meta({
      description:
        'What Temporal says of the activity while it is open; null once it has ended, or where Temporal does not answer',
    }),
}).meta({
  id: 'RemoteJobDetail',
  description: 'A remote job, and what Temporal says of its activity now. What its worker says is not checked.',
})
export type RemoteJobDetail = z.infer<typeof RemoteJobDetail>
