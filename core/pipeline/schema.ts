import { z } from 'zod'
import { ENVIRONMENT_CLASSES } from '../environment.ts'
import type { JsonObject } from '../json.ts'
import { DecisionWord } from '../run/approval-schema.ts'
import { RunId } from '../run/schema.ts'
import { RUN_STATUSES } from '../run/status.ts'
import { PIPELINE_STATUSES, PIPELINE_STEP_STATES } from './transitions.ts'
import { ON_FAILURE, STEP_GATES } from './types.ts'

const Time = z.iso.datetime().meta({ description: 'RFC 3339, UTC, milliseconds', example: '2026-01-05T09:30:00.000Z' })
const Usd = z.number().min(0).meta({ description: 'US dollars with at most six decimals', example: 0.0125 })
const Fields = z.record(z.string(), z.unknown())

export const PipelineId = z
  .string()
  .regex(/^pl_[0-9a-z]{26}$/)
  .meta({ description: 'Identifier of a pipeline', example: 'pl_01hzy3v9k5m8q2w4x6z8b0d2f4' })

const PipelineStatus = z.enum(PIPELINE_STATUSES).meta({
  id: 'PipelineStatus',
  description: 'Where a pipeline stands. `blocked`: only people are waited for. The last four are terminal.',
  example: 'running',
})

const PipelineError = z
  .object({
    code: z.string().meta({ example: 'timeout' }),
    message: z.string(),
    step: z.string().optional(),
    run_id: z.string().optional(),
  })
  .meta({ id: 'PipelineError', description: 'Why a step or a pipeline did not succeed.' })

const PipelineRun = z
  .object({
    run_id: RunId,
    index: z.int().min(0).meta({ description: 'The entry of the list that it is for; 0 in other steps' }),
    role: z.enum(['run', 'compensation']),
    status: z.enum(['starting', 'refused', ...RUN_STATUSES]).meta({
      description: '`starting`: not on record yet, `refused`: its start was refused; else how the run stands',
    }),
    gate_id: z.string().optional().meta({ description: 'The gate at which it waits for an answer' }),
    error: PipelineError.optional(),
    total_usd: Usd,
  })
  .meta({ id: 'PipelineRun', description: 'A run that a step has started.' })

const NotTakenBack = PipelineRun.pick({ run_id: true, index: true, status: true, error: true })
  .extend({ step: z.string() })
  .meta({
    id: 'NotTakenBack',
    description: 'A compensation that did not succeed: the run of it, and whose step it was to take back.',
  })

const PipelineStep = z
  .object({
    id: z.string(),
    title: z.string(),
    kind: z.enum(['run', 'timer', 'event']),
    needs: z.array(z.string()),
    uses: z.string().optional().meta({ description: 'The template that it runs', example: 'data/dataset-profile' }),
    gate: z.enum(STEP_GATES).optional(),
    on_failure: z.enum(ON_FAILURE),
    state: z.enum(PIPELINE_STEP_STATES),
    reason: z
      .string()
      .optional()
      .meta({ description: 'What holds it up (`halted`, `frozen`, …), or why it was passed over' }),
    run_id: RunId.optional().meta({ description: 'Its run, where it has just one' }),
    gate_id: z.string().optional().meta({ description: 'The gate that waits for an answer, where it is just one' }),
    runs: z.array(PipelineRun),
    fire_at: Time.optional().meta({ description: 'When its timer fires' }),
    topic: z.string().optional().meta({ description: 'The topic on which it waits for an event' }),
    matches: z
      .string()
      .optional()
      .meta({ description: 'The condition that the event has to fulfil, as the bundle writes it' }),
    deadline_at: Time.optional().meta({ description: 'When its time is over; it stands still while people are asked' }),
    advanced: Fields.optional().meta({ description: 'Who has let it begin, when, and with which note' }),
    outputs: Fields.optional(),
    error: PipelineError.optional(),
    started_at: Time.optional(),
    ended_at: Time.optional(),
  })
  .meta({ id: 'PipelineStep', description: 'A step of a pipeline as it stands now.' })

export const Pipeline = z
  .object({
    id: PipelineId,
    workspace_id: z.string(),
    name: z.string().meta({ example: 'dataset-release' }),
    title: z.string(),
    bundle: z.object({
      path: z.string().meta({ example: 'data/dataset-release' }),
      digest: z.string().meta({ description: 'Of the files as they were when it was started' }),
    }),
    environment: z.string(),
    environment_class: z.enum(ENVIRONMENT_CLASSES),
    profile: z.string(),
    status: PipelineStatus,
    status_reason: z
      .enum(['cancelling', 'compensating', 'closing'])
      .optional()
      .meta({ description: 'Of one that does not go on and has not ended yet: what it still does' }),
    steps: z.array(PipelineStep),
    inputs: Fields,
    outputs: Fields.optional(),
    error: PipelineError.optional(),
    not_taken_back: z.array(NotTakenBack).optional().meta({
      description:
        'Compensations that did not succeed. What those steps did is still there, and somebody has to look after it',
    }),
    reason: z.string().optional(),
    total_usd: Usd.meta({ description: 'What all its runs have cost' }),
    reserved_usd: Usd,
    cap_usd: Usd.meta({ description: 'What all its runs together may cost' }),
    provenance: Fields,
    created_at: Time,
    started_at: Time.optional(),
    ended_at: Time.optional(),
    updated_at: Time,
    links: z.record(z.string(), z.string()),
  })
  .meta({ id: 'Pipeline', description: 'A pipeline with all of its steps.' })
export type Pipeline = z.infer<typeof Pipeline>

export const PipelineRequest = z
  .strictObject({
    bundle_path: z.string().min(1).max(500).meta({
      description: 'A bundle below `SVC_PIPELINES_DIR`, or `<pack>/<bundle>` of a pack',
      example: 'data/dataset-release',
    }),
    pipeline_name: z
      .string()
      .max(100)
      .optional()
      .meta({ description: 'May be left out where the bundle has just one' }),
    inputs: z
      .record(z.string(), z.unknown())
      .default({})
      .meta({ description: 'Checked against the input schema of the pipeline' })
      .transform((fields) => fields as JsonObject),
    environment: z.string().max(100).optional().meta({ description: 'Default: the workspace’s default environment' }),
    profile: z.string().max(100).optional(),
    reason: z.string().max(4_000).optional(),
    bundle_digest: z
      .string()
      .max(100)
      .optional()
      .meta({ description: 'The bundle as it was shown: another one answers 409 `plan_changed`' }),
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
      .meta({ description: 'In the place of inputs that the step would give its runs' })
      .transform((fields) => fields as JsonObject | undefined),
  })
  .meta({ id: 'StepAdvanceRequest', description: 'Why a step is let begin.', example: { note: 'The data is there' } })

export const StepDecisionRequest = z
  .strictObject({
    decision: DecisionWord.default('approve'),
    note: z.string().max(4_000).optional(),
    gate_id: z.string().max(100).optional().meta({ description: 'Which of several gates of the step' }),
    plan_hash: z.string().max(100).optional().meta({ description: 'What was shown: another plan answers 409' }),
    approver: z.string().max(200).optional(),
  })
  .meta({
    id: 'StepDecisionRequest',
    description: 'An answer to the gate of a step. The path is the decision: an empty body approves.',
    example: { decision: 'reject', note: 'Not before the freeze is over' },
  })

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

const CONFIG_LAYERS = [
  'request',
  'bundle',
  'step',
  'advance',
  'config_preset',
  'workflow',
  'changed',
  'template',
  'profile',
  'environment',
  'workspace',
  'default',
  'unset',
] as const

const ComposedValue = z.object({
  name: z.string(),
  value: z.unknown().optional().meta({ description: 'As it was or would be given; absent while it is not known' }),
  written: z.unknown().optional().meta({ description: 'As the bundle writes it, where that is an expression' }),
  layer: z.enum(CONFIG_LAYERS).meta({
    description:
      'Where it comes from: the start (`request`), the bundle, the `with` of the step, whoever advanced it, the config preset or the values (`workflow`) that the workspace keeps for the template, the defaults of the template, the profile, the environment, the workspace, a `default` of the service. `changed`: a preset or values that are others by now; `unset`: nobody gives it',
  }),
})

export const PipelineConfig = z
  .object({
    pipeline_id: PipelineId,
    settings: z.array(ComposedValue).meta({ description: 'Environment, profile, cap and bundle' }),
    inputs: z.array(ComposedValue),
    steps: z.array(
      z.object({
        id: z.string(),
        template: z
          .object({
            name: z.string(),
            digest: z.string(),
            changed: z.boolean().meta({ description: 'It is another by now' }),
          })
          .optional(),
        settings: z.array(ComposedValue),
        inputs: z.array(ComposedValue),
      }),
    ),
  })
  .meta({ id: 'PipelineConfig', description: 'Every value that a pipeline is composed of, with where it comes from.' })
export type PipelineConfig = z.infer<typeof PipelineConfig>

export const PipelineBundle = z
  .object({
    path: z.string(),
    digest: z.string().optional(),
    pipelines: z.array(
      z.object({
        name: z.string(),
        title: z.string(),
        description: z.string().optional(),
        inputs_schema: Fields,
        steps: z.array(
          z.object({
            id: z.string(),
            title: z.string(),
            kind: z.string(),
            needs: z.array(z.string()),
            uses: z.string().optional(),
          }),
        ),
      }),
    ),
    faults: z.array(z.string()).meta({ description: 'Why it cannot be started, with file, line and column' }),
  })
  .meta({ id: 'PipelineBundle', description: 'A bundle as it is on disk now.' })
export type PipelineBundle = z.infer<typeof PipelineBundle>
