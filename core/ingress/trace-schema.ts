import { z } from 'zod'
import { INBOX_STATUSES } from '../inbox/item.ts'
import { SIGNAL_OUTCOMES } from '../trigger/outcome.ts'

/** Stages of a delivery after its sender was verified. */
export const ACTED_STAGES = ['when', 'normalize', 'rules', 'run'] as const
export type ActedStage = (typeof ACTED_STAGES)[number]

const STAGES = ['received', 'signature', 'replay_window', 'repeat', ...ACTED_STAGES] as const
const STAGE_RESULTS = ['passed', 'stopped', 'not_reached', 'not_checked', 'pending', 'unknown'] as const

const TraceStage = z
  .object({
    stage: z.enum(STAGES),
    result: z.enum(STAGE_RESULTS).meta({
      description:
        '`not_checked`: its scheme signs no time, or a recovery asks no rule. `unknown`: the record does not say it.',
    }),
    detail: z.string().optional(),
  })
  .meta({ id: 'TraceStage', description: 'One stage of a signed delivery.' })
export type TraceStage = z.output<typeof TraceStage>

export const DeliveryTrace = z
  .object({
    delivery_id: z.string().meta({ example: 'dlv_01jd4c2v7m8k9h3r5t6w1x0y2z' }),
    ingress: z.string().meta({ example: 'sre/github-deployments' }),
    received_at: z.iso.datetime(),
    outcome: z.enum([...new Set([...SIGNAL_OUTCOMES, ...INBOX_STATUSES, 'working' as const])]).meta({
      description:
        '`working`: nothing is on record yet. `received`: it waits in the inbox; what was processed from there has the status of the inbox.',
    }),
    scheme: z
      .string()
      .optional()
      .meta({ description: 'How the ingress verifies it today; absent when the ingress was removed' }),
    rule: z.string().optional(),
    run_id: z.string().optional(),
    stages: z.array(TraceStage).meta({ description: 'In the order in which they are passed' }),
  })
  .meta({ id: 'DeliveryTrace', description: 'What happened to a signed delivery, stage by stage.' })
export type DeliveryTrace = z.output<typeof DeliveryTrace>
