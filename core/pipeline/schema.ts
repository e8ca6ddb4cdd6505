import { z } from 'zod'
import { ENVIRONMENT_CLASSES } from '../environment/environment.ts'
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
  description: 'The status of a pipeline. `blocked`: it waits for nothing but people. The last four are terminal.',
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
    index: z.int().min(0).meta({ description: 'Which entry of the list it is for; 0 in other steps' }),
    role: z.enum(['run', 'compensation']),
    status: z.enum(['starting', 'refused', ...RUN_STATUSES]).meta({
      description:
        '`starting`: not on record yet; `refused`: it never began, so there is no such run, and `error` says why; otherwise the status of the run',
    }),
    gate_id: z.string().optional().meta({ description: 'The gate at which it is waiting' }),
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
      .meta({ description: 'What delays it (`halted`, `frozen`, …), or why it was skipped' }),
    run_id: RunId.optional().meta({ description: 'Its run, if it has exactly one and that was not `refused`' }),
    gate_id: z
      .string()
      .optional()
      .meta({ description: 'The gate that is waiting for an answer, if there is exactly one' }),
    runs: z.array(PipelineRun),
    fire_at: Time.optional().meta({ description: 'When its timer fires' }),
    topic: z.string().optional().meta({ description: 'The topic on which it waits for an event' }),
    matches: z
      .string()
      .optional()
      .meta({ description: 'The condition that the event has to fulfil, as the bundle writes it' }),
    deadline_at: Time.optional().meta({
      description: 'When it times out; the time is paused while it waits for approval',
    }),
    advanced: Fields.optional().meta({ description: 'Who advanced it, when, and with which note' }),
    outputs: Fields.optional(),
    error: PipelineError.optional(),
    started_at: Time.optional(),
    ended_at: Time.optional(),
  })
  .meta({ id: 'PipelineStep', description: 'A step of a pipeline as it is now.' })

export const Pipeline = z
  .object({
    id: PipelineId,
    workspace_id: z.string(),
    name: z.string().meta({ example: 'dataset-release' }),
    title: z.string(),
    bundle: z
      .object({
        path: z.string().meta({ example: 'data/dataset-release' }),
        digest: z.string().meta({ description: 'The digest of its files at the start' }),
      })
      .meta({ id: 'PipelineStartedFrom' }),
    environment: z.string(),
    environment_class: z.enum(ENVIRONMENT_CLASSES),
    profile: z.string(),
    status: PipelineStatus,
    status_reason: z
      .enum(['cancelling', 'compensating', 'closing'])
      .optional()
      .meta({ description: 'What a pipeline that is ending still does' }),
    steps: z.array(PipelineStep),
    inputs: Fields,
    outputs: Fields.optional(),
    error: PipelineError.optional(),
    not_taken_back: z.array(NotTakenBack).optional().meta({
      description: 'Compensations that did not succeed. The effects of those steps remain, and need an operator',
    }),
    reason: z.string().optional(),
    total_usd: Usd.meta({ description: 'The cost of all its runs' }),
    reserved_usd: Usd,
    cap_usd: Usd.meta({ description: 'The most that all its runs together may cost' }),
    provenance: Fields,
    created_at: Time,
    started_at: Time.optional(),
    ended_at: Time.optional(),
    updated_at: Time,
    links: z.record(z.string(), z.string()),
  })
  .meta({ id: 'Pipeline', description: 'A pipeline with all of its steps.' })
export type Pipeline = z.infer<typeof Pipeline>

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
