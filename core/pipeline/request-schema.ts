import { z } from 'zod'
import type { JsonObject } from '../json/json.ts'
import { DecisionWord } from '../run/approval-schema.ts'
import { PipelineId } from './schema.ts'

export const PipelineRequest = z
  .strictObject({
    bundle_path: z.string().min(1).max(500).meta({
      description: 'A bundle below `SVC_PIPELINES_DIR`, or `<pack>/<bundle>` of a pack',
      example: 'data/dataset-release',
    }),
    pipeline_name: z.string().max(100).optional().meta({ description: 'May be omitted if the bundle has exactly one' }),
    inputs: z
      .record(z.string(), z.unknown())
      .default({})
      .meta({ description: 'Checked against the input schema of the pipeline' })
      .transform((fields) => fields as JsonObject),
    environment: z.string().max(100).optional().meta({ description: 'Default: the workspace’s default environment' }),
    profile: z.string().max(100).optional(),
    reason: z.string().max(4_000).optional(),
    bundle_digest: z.string().max(100).optional().meta({
      description: 'The digest of the bundle that was shown: if it has changed, the answer is 409 `plan_changed`',
    }),
  })
  .meta({
    id: 'PipelineRequest',
    description: 'What a pipeline is started with.',
    example: { bundle_path: 'data/dataset-release', inputs: { version: 'sales_2026_11' }, environment: 'development' },
  })

export const PipelineStarted = z
  .object({ pipeline_id: PipelineId })
  .meta({ id: 'PipelineStarted', description: 'A pipeline that is on record.' })

export const StepAdvanceRequest = z
  .strictObject({
    note: z.string().max(4_000).optional(),
    inputs: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'These replace inputs that the step would give its runs' })
      .transform((fields) => fields as JsonObject | undefined),
  })
  .meta({ id: 'StepAdvanceRequest', description: 'Why a step is advanced.', example: { note: 'The data is there' } })

export const StepDecisionRequest = z
  .strictObject({
    decision: DecisionWord.default('approve'),
    note: z.string().max(4_000).optional(),
    gate_id: z.string().max(100).optional().meta({
      description:
        'The gate that is answered. It may be omitted for the first gate of a step with one run; otherwise the answer is 409 `conflict` and lists the open gates',
    }),
    plan_hash: z
      .string()
      .max(100)
      .optional()
      .meta({ description: 'The plan that was shown: if it has changed, the answer is 409' }),
    approver: z.string().max(200).optional(),
  })
  .meta({
    id: 'StepDecisionRequest',
    description: 'An answer to the gate of a step. An empty body approves the first gate of its only run.',
    example: { decision: 'reject', note: 'Not before the freeze is over' },
  })
