import { z } from 'zod'
import { LANES } from '../contract.ts'
import { ENVIRONMENT_CLASSES } from '../environment/environment.ts'
import { DECISIONS, GATE_STATUSES } from '../gate/types.ts'
import { RISKS } from '../policy/types.ts'
import { RunTrigger } from '../trigger/alert-schema.ts'
import { DryRunReport } from './dry-run-schema.ts'
import { RUN_STATUSES, SHOWN_STEP_STATES } from './status.ts'

const Time = z.iso.datetime().meta({ description: 'RFC 3339, UTC, milliseconds', example: '2026-01-05T09:30:00.000Z' })
const Usd = z.number().min(0).meta({ description: 'US dollars with at most six decimals', example: 0.0125 })
const Fields = z.record(z.string(), z.unknown())

const RunStatus = z.enum(RUN_STATUSES).meta({
  id: 'RunStatus',
  description: 'Where a run stands. The last five are terminal: a run never leaves them.',
  example: 'awaiting_approval',
})

const Lane = z.enum(LANES).meta({
  id: 'Lane',
  description: 'Which share of the workers carries the run. Flooding one lane never delays the other.',
  example: 'background',
})

export const RunId = z
  .string()
  .regex(/^run_[0-9a-z]{26}$/)
  .meta({ description: 'Identifier of a run', example: 'run_01hzy3v9k5m8q2w4x6z8b0d2f4' })

export const TakenOver = z
  .object({
    run_id: RunId,
    attempt: z.int().min(0),
    outputs_hash: z.string().optional().meta({
      description: 'Digest of the outputs, from the audit record of that attempt; absent for a skipped step',
    }),
  })
  .meta({
    id: 'TakenOver',
    description:
      'Of a step that a retry did not execute: the run and the attempt whose outputs it took over, at no cost.',
  })

export const StepProgress = z
  .object({
    id: z.string(),
    name: z.string(),
    operator: z.string(),
    state: z.enum(SHOWN_STEP_STATES),
    attempt: z.int().min(0),
    started_at: Time.optional(),
    ended_at: Time.optional(),
    cost_usd: Usd,
    message: z.string().optional(),
    taken_over_from: TakenOver.optional(),
  })
  .meta({ id: 'StepProgress', description: 'One step of a run as it stands now.' })

export const RunProgress = z
  .object({
    phase: z.string().meta({ description: 'The run status, or the name of the current step while it runs' }),
    percent: z.int().min(0).max(100).optional().meta({ description: 'Share of the steps that have ended' }),
    current_step: z.string().optional(),
    steps: z.array(StepProgress),
  })
  .meta({ id: 'RunProgress', description: 'Live progress of a run.' })

export const RunFailure = z
  .object({
    code: z.string().meta({ description: 'Why, as docs/failures.md lists it', example: 'BudgetExceeded' }),
    message: z.string(),
    step: z.string().optional(),
    retryable: z.boolean(),
    details: z.unknown().optional(),
  })
  .meta({ id: 'RunFailure', description: 'Why a run failed.' })

const RunGate = z
  .object({
    gate_id: z.string().meta({ example: 'gate_01hzy3v9k5m8q2w4x6z8b0d2f5' }),
    step: z.string(),
    status: z.enum(GATE_STATUSES),
    opened_at: Time,
    resolved_at: Time.optional(),
    decisions: z
      .array(
        z.object({
          by: z.string().meta({ description: 'Id of a user, or the address that a link was sent to' }),
          name: z.string().optional().meta({ description: 'What the user is called', example: 'Ann Approver' }),
          via: z
            .object({ id: z.string(), name: z.string().optional() })
            .optional()
            .meta({ description: 'The service account that answered for them' }),
          decision: z.enum(DECISIONS),
          channel: z.string().meta({ example: 'cli' }),
          at: Time,
          note: z.string().optional(),
        }),
      )
      .optional()
      .meta({ description: 'Who has answered, in their order; in the record of one run, and not in lists' }),
  })
  .meta({ id: 'RunGate', description: 'A gate that the run met.' })

/** A template may call an output of its own `dry_run` as well. */
const Outputs = z.looseObject({
  dry_run: z
    .union([DryRunReport, z.unknown()])
    .optional()
    .meta({ description: 'Of a dry run: what each step would do' }),
})

export const Run = z
  .object({
    id: RunId,
    workspace_id: z.string(),
    pack: z.string().meta({ example: 'incident' }),
    template: z.string().meta({ example: 'service-recovery' }),
    template_version: z.string().meta({ example: '1.0.0' }),
    template_digest: z
      .string()
      .meta({ description: 'Of the template with everything that it compiles to; a start may ask for it' }),
    status: RunStatus,
    status_reason: z.string().optional().meta({
      description:
        '`ttl`, `dismissed`, `condition_cleared`, `halted` while a halt, or its archived workspace, holds a run that is under way, `halt_lifted` until it goes on, `standing_lost`, …',
    }),
    halts: z
      .array(z.object({ id: z.string(), reason: z.string(), by: z.string(), created_at: Time }))
      .optional()
      .meta({
        description:
          'Of a run that is queued, running or held: the halts over it, who set them and why; none where its workspace is archived',
      }),
    lane: Lane,
    environment: z.string().meta({ example: 'production' }),
    environment_class: z.enum(ENVIRONMENT_CLASSES),
    profile: z.string(),
    config_preset: z.string().optional().meta({
      description:
        'Name of the config preset that filled inputs in; `provenance.config_preset` has its version and digest',
    }),
    sandbox: z.boolean(),
    dry_run: z
      .boolean()
      .meta({ description: 'Nothing acted: `outputs.dry_run` says what each step would do (`DryRunReport`)' }),
    risk: z.enum(RISKS),
    action_types: z.array(z.string()).meta({ example: ['service.restart'] }),
    capabilities: z.array(z.string()),
    inputs: Fields.meta({ description: 'What the run was given; secrets are redacted' }),
    inputs_hash: z.string(),
    plan_hash: z.string().optional().meta({ description: 'Hash of what the current or last gated step will do' }),
    outputs: Outputs.optional(),
    error: RunFailure.optional(),
    reason: z.string().optional(),
    attached_count: z.int().min(0).meta({ description: 'Duplicate alerts folded onto this run' }),
    fingerprint: z.string().optional(),
    alerts: z
      .array(
        z.object({
          delivery_id: z.string(),
          status: z.enum(['firing', 'resolved']),
          received_at: Time,
          digest: z.string().optional().meta({ description: 'Of the alert as it stood in the payload' }),
        }),
      )
      .meta({ description: 'The last 50 alerts, newest first' }),
    trigger: RunTrigger.optional(),
    provenance: Fields.meta({ description: 'What started the run, for whom, with which pack and policies' }),
    progress: RunProgress,
    gates: z.array(RunGate),
    llm_usd: Usd,
    gpu_usd: Usd,
    storage_usd: Usd,
    total_usd: Usd,
    reserved_usd: Usd,
    cap_usd: Usd,
    labels: z.record(z.string(), z.string()),
    created_at: Time,
    queued_at: Time,
    started_at: Time.optional(),
    awaiting_since: Time.optional(),
    ended_at: Time.optional(),
    updated_at: Time,
    links: z.record(z.string(), z.string()).meta({ description: 'Paths of what belongs to the run' }),
  })
  .meta({ id: 'Run', description: 'A run: one governed execution of a template.' })
export type Run = z.infer<typeof Run>

export const Artifact = z
  .object({
    id: z.string(),
    run_id: RunId,
    step: z.string(),
    name: z.string().meta({ example: 'report.md' }),
    media_type: z.string().meta({ example: 'text/markdown' }),
    size_bytes: z.int().min(0),
    digest: z.string().meta({ description: '`sha256:` and lower-case hex of the content' }),
    created_at: z.iso.datetime(),
    links: z.object({ download: z.string() }),
  })
  .meta({ id: 'Artifact', description: 'A file that a run left behind.' })
export type Artifact = z.infer<typeof Artifact>
