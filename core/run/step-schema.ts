import { z } from 'zod'
import { GATE_STATUSES } from '../gate/types.ts'
import { RunId, TakenOver } from './schema.ts'
import { SHOWN_STEP_STATES } from './status.ts'

const Time = z.iso.datetime()
const Usd = z.number().min(0)
const Digest = z.string().meta({ description: '`sha256:` over the RFC 8785 text', example: `sha256:${'0'.repeat(64)}` })

const StepData = z
  .object({
    digest: Digest,
    bytes: z.int().min(0).meta({ description: 'Size of its RFC 8785 text' }),
    value: z.unknown().optional().meta({ description: 'All of it, unless it is cut' }),
    excerpt: z.string().optional().meta({ description: 'Of what is cut, the beginning as text' }),
    cut: z.literal(true).optional().meta({ description: 'It is too large to be shown whole' }),
  })
  .meta({ id: 'StepData', description: 'Data of a step, secrets redacted. The digest is of all of it.' })

const StepFailure = z.record(z.string(), z.unknown()).meta({
  description:
    'Code, message and what else is known: `retry_at` while it waits to be tried again, `retry_after_ms` where the target asked for a longer wait than the timeout of the step allows',
})

const StepAttempt = z
  .object({
    number: z.int().min(1),
    started_at: Time.optional(),
    ended_at: Time.optional(),
    outcome: z
      .enum(['succeeded', 'failed'])
      .optional()
      .meta({ description: 'Absent while it runs, or when its end is not known' }),
    error: StepFailure.optional(),
    cost_usd: Usd.optional(),
  })
  .meta({ id: 'StepAttempt', description: 'One attempt of a step.' })

export const RunStep = z
  .object({
    run_id: RunId,
    id: z.string().meta({ example: 'evidence' }),
    name: z.string(),
    operator: z.string().meta({ example: 'http.request@1' }),
    action_type: z.string().meta({ example: 'read' }),
    state: z.enum(SHOWN_STEP_STATES),
    attempt: z.int().min(0),
    started_at: Time.optional(),
    ended_at: Time.optional(),
    message: z.string().optional(),
    plan_hash: z.string().optional().meta({ description: 'Of what it does: the hash that its gate asks about' }),
    inputs: StepData.optional().meta({ description: 'As shown to approvers; absent before the step is judged' }),
    outputs: StepData.optional(),
    simulation: StepData.optional(),
    error: StepFailure.optional(),
    cost_usd: Usd,
    taken_over_from: TakenOver.optional(),
    gates: z.array(z.object({ gate_id: z.string(), status: z.enum(GATE_STATUSES) })),
    links: z.record(z.string(), z.string()),
  })
  .meta({ id: 'RunStep', description: 'A step of a run with what went in and what came out.' })
export type RunStep = z.infer<typeof RunStep>

export const RunStepDetail = RunStep.extend({
  attempts: z.array(StepAttempt),
  logs: z
    .array(z.object({ seq: z.int(), ts: Time, data: z.record(z.string(), z.unknown()) }))
    .meta({ description: 'The last 200 `step.log` events' }),
}).meta({ id: 'RunStepDetail', description: 'A step of a run with its attempts and its log.' })
export type RunStepDetail = z.infer<typeof RunStepDetail>
