import { z } from 'zod'
import { CONTRIBUTIONS } from '../gate/contributors.ts'
import { DECISIONS, GATE_KINDS, GATE_STATUSES } from '../gate/types.ts'
import { NOTE_RULES, RISKS } from '../policy/types.ts'
import { Remarks } from './remark-schema.ts'
import { RunId } from './schema.ts'

const Time = z.iso.datetime()
const PlanHash = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/)
  .meta({
    description:
      'Hash of exactly what will be done: the operator and its version, the normalised input, and all that the step is resolved through: connection, models that may answer, commitments to their secrets, what the environment may reach',
    example: `sha256:${'0'.repeat(64)}`,
  })

/** `approve` or `reject`; the participles are accepted as well and stored as the verb. */
export const DecisionWord = z.preprocess(
  (word) => (word === 'approved' ? 'approve' : word === 'rejected' ? 'reject' : word),
  z.enum(DECISIONS).meta({ description: '`approved` and `rejected` are accepted too', example: 'approve' }),
)

const ShownGate = z
  .string()
  .regex(/^gate_[0-9a-z]{26}$/)
  .optional()
  .meta({ description: 'The gate that was shown; another open gate answers 409' })

export const ApprovalDecision = z
  .object({
    decision: DecisionWord,
    approver: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'Who decides, where the caller is not the approver' }),
    note: z.string().max(4_000).optional(),
    gate_id: ShownGate,
    plan_hash: PlanHash.optional().meta({ description: 'The plan that was shown; another plan answers 409' }),
  })
  .meta({
    id: 'ApprovalDecision',
    description: 'An answer to an open gate. A missing decision is never an approval.',
    example: { decision: 'approve', note: 'Checked the dashboard' },
  })
export type ApprovalDecision = z.infer<typeof ApprovalDecision>

export const ApprovalOutcome = z
  .object({
    run_id: RunId,
    gate_id: z.string(),
    status: z.enum(GATE_STATUSES).meta({ description: 'Where the gate stands now' }),
    decision: z.enum(DECISIONS).nullable(),
    resolved: z.boolean().meta({ description: 'False while more approvals are needed' }),
    approvals: z.object({ have: z.int(), need: z.int() }),
    resolved_by: z.string().nullable(),
    resolved_at: Time.nullable(),
    channel: z.string(),
  })
  .meta({ id: 'ApprovalOutcome', description: 'What a decision led to.' })
export type ApprovalOutcome = z.infer<typeof ApprovalOutcome>

const Person = z
  .object({
    id: z.string(),
    display: z.string().meta({ description: 'What they are called', example: 'Ann Approver' }),
    email: z.string().optional().meta({ description: 'Shown to those who may answer gates' }),
  })
  .meta({ id: 'Person', description: 'Somebody who asked for a run or answered a gate.' })
export type Person = z.infer<typeof Person>

const Evidence = z.object({
  title: z.string(),
  kind: z.string().meta({ example: 'step' }),
  step: z.string().optional(),
  ref: z.string().meta({
    description: 'The step’s own route; `digest` is that of the `outputs` which it answers',
    example: '/runs/run_01hzy3v9k5m8q2w4x6z8b0d2f4/steps/evidence',
  }),
  digest: z.string(),
  excerpt: z.string().optional().meta({
    description:
      'Its beginning as text, known secrets hidden. Of an HTTP answer the status, then its body once; headers are in `ref`',
    example: 'status: 503\njson:\n  detail: restart refused: disk full',
  }),
  cut: z.boolean().optional().meta({ description: 'The excerpt ends before the finding does' }),
  age_s: z.number(),
})

const ShapedBy = z.object({
  id: z.string(),
  person: Person.optional().meta({ description: 'Who that is, where it is a known user' }),
  did: z.enum(CONTRIBUTIONS),
  text: z.string().meta({ example: 'wrote the config preset nightly' }),
})
export type ShapedBy = z.infer<typeof ShapedBy>
const ApprovalModels = z
  .object({
    name: z.string().meta({ description: 'As the step says it: a role, or the id of a model', example: 'default' }),
    candidates: z.array(
      z.object({
        id: z.string(),
        provider: z.string(),
        model: z.string().meta({ description: 'Its name at the provider' }),
        base_url: z.string().optional().meta({ description: 'Where it is asked' }),
        problem: z.string().optional().meta({ description: 'Why it cannot be asked' }),
        key: z.string().optional().meta({ description: 'Where its key is', example: 'env:OPENAI_API_KEY' }),
        prices: z
          .object({
            input: z.int(),
            output: z.int(),
            cached_input: z.int().optional(),
            cache_write: z.int().optional(),
          })
          .meta({ description: 'Micro-dollars per million tokens' }),
        limits: z.object({ context: z.int(), output: z.int() }),
        timeout_ms: z.number(),
        structured_outputs: z.boolean(),
        limit_field: z
          .string()
          .optional()
          .meta({ description: 'The field in which it is told how much it may answer' }),
        drop_params: z.array(z.string()).optional().meta({ description: 'What is left out of requests to it' }),
      }),
    ),
    texts_on_record: z.boolean().meta({ description: 'Prompt and answer go on record in full' }),
    problem: z.string().optional().meta({ description: 'Why no model can be asked' }),
  })
  .meta({ id: 'ApprovalModels', description: 'The models that may answer a step.' })

export const PendingApproval = z
  .object({
    run_id: RunId,
    gate_id: z.string(),
    kind: z.enum(GATE_KINDS),
    step: z.string(),
    opened_at: Time,
    expires_at: Time,
    needs_confirmation: z.boolean().meta({
      description: 'Its approval acts with high risk, in production or perhaps twice: a person confirms it once more',
    }),
    operation: z.object({
      operator: z.string().meta({ example: 'http.request' }),
      action_type: z.string().meta({ example: 'service.restart' }),
      capabilities: z.array(z.string()),
      risk: z.enum(RISKS),
      environment: z.string(),
      targets: z.object({
        kind: z.string(),
        ids: z.array(z.string()),
        count: z.int().optional(),
        percent: z.number().optional(),
      }),
      connection: z
        .object({
          id: z.string(),
          kind: z.string(),
          host: z.string(),
          database: z.string().optional(),
          base_url: z.string().optional(),
          user: z.string().optional(),
          parameters: z.record(z.string(), z.string()).optional(),
        })
        .optional()
        .meta({ description: 'Where the connection of the step leads and as whom; its secret is never shown' }),
      models: ApprovalModels.optional().meta({
        description: 'The models that may answer a step that asks one, in their order; no other is asked',
      }),
      queue: z.object({ name: z.string(), task_queue: z.string(), attest: z.string().optional() }).optional().meta({
        description:
          'The task queue of the external worker that does it; `attest`: the public key by which its result has to be signed',
      }),
      deployment: z
        .record(z.string(), z.unknown())
        .optional()
        .meta({ description: 'What the operator gets of its deployment, such as the directory of backups' }),
      egress: z
        .array(z.string())
        .optional()
        .meta({ description: 'What the environment lets operators reach beside public addresses' }),
    }),
    plan: z.object({
      summary: z.string(),
      steps: z.array(z.unknown()).optional(),
      diff: z.object({ format: z.enum(['unified', 'json-patch', 'text']), body: z.string() }).optional(),
      command: z
        .string()
        .optional()
        .meta({ description: 'The exact command; secrets and invisible characters as in `inputs`' }),
    }),
    plan_hash: PlanHash,
    covers: z
      .record(z.string(), z.object({ title: z.string(), digest: z.string(), text: z.string().optional() }))
      .optional()
      .meta({ description: 'What `plan_hash` is over, part by part, each with its own digest' }),
    inputs: z.record(z.string(), z.unknown()).meta({
      description:
        'The input as it will be used. Known secrets stand as `<secret:name>`; what would not be seen stands as an escape such as `\\u{202e}`',
    }),
    secret_commitments: z.record(z.string(), z.string()),
    requester: Person.optional().meta({ description: 'Who asked for the run, by name' }),
    on_behalf_of: Person.optional().meta({ description: 'The person for whom they asked, where that is another' }),
    shaped_by: z.array(ShapedBy).optional().meta({
      description: 'Everyone who shaped the run: under `prevent_self` their approval does not count',
    }),
    retry: z
      .object({
        run_id: z.string().meta({ description: 'The failed run' }),
        text: z.string().meta({ example: 'Retry of a run that failed at the step Restart: 409 Conflict' }),
      })
      .optional()
      .meta({ description: 'Of a run that retries another one: which, and why that one failed' }),
    requested_by: z.unknown().optional(),
    human_root: z.unknown().optional(),
    reason: z.string().optional(),
    because: z.array(z.string()).meta({ description: 'Why the gate opened' }),
    simulation: z.unknown().optional().meta({ description: 'What the simulation of the step showed' }),
    authorities: z
      .record(z.string(), z.unknown())
      .meta({ description: 'The votes of operator, profile, policy and pack' }),
    required: z.object({
      approvals: z.int(),
      approval_roles: z.array(z.array(z.string())).meta({ description: 'AND of ORs' }),
      prevent_self: z.boolean(),
      require_note: z.enum(NOTE_RULES).optional().meta({ description: 'Which decisions need a note' }),
      require_plan_hash: z.boolean().optional().meta({ description: 'A decision must send `plan_hash`' }),
      freezes: z.array(z.string()).optional().meta({ description: 'Freezes that were on when the gate opened' }),
      vouches_for: z
        .array(z.string())
        .optional()
        .meta({ description: 'In whose place an owner answers; of a gate about lost standing' }),
    }),
    missing: z
      .object({
        approvals: z.int().min(0),
        roles: z
          .array(z.array(z.string()))
          .meta({ description: 'Clauses that nobody has met; each takes one of its roles' }),
        text: z.string().meta({ example: '1 more approval, from dba or sre' }),
      })
      .meta({ description: 'What the votes so far leave open' }),
    decisions: z.array(
      z.object({
        by: z.string(),
        person: Person.optional().meta({ description: 'Who that is, where it is a known user' }),
        via: Person.optional().meta({ description: 'The service account that answered for them' }),
        decision: z.enum(DECISIONS),
        counts: z.boolean().meta({
          description: 'False for an answer that no longer counts because its author may no longer answer',
        }),
        at: Time,
        channel: z.string(),
        note: z.string().optional(),
      }),
    ),
    acknowledged: Remarks.shape.acknowledged,
    comments: Remarks.shape.comments,
    allowed_decisions: z.array(z.enum(DECISIONS)),
    evidence: z.array(Evidence).meta({ description: 'What the steps before have found out' }),
    cost: z.object({
      spent_usd: z.number(),
      reserved_usd: z.number(),
      estimate_usd: z.number().optional(),
      cap_usd: z.number(),
    }),
    channels: z.array(z.string()),
    sla: z
      .object({ remind_at: Time.optional(), escalate_at: Time.optional(), escalate_to: z.array(z.string()).optional() })
      .optional()
      .meta({ description: 'When an unanswered gate is announced again, and to which channels it goes then' }),
    broken_policies: z.array(z.string()),
    halts: z
      .array(z.object({ id: z.string(), reason: z.string(), by: z.string() }))
      .optional()
      .meta({ description: 'Halts over this run: it may be decided meanwhile, and goes on when they are lifted' }),
  })
  .meta({ id: 'PendingApproval', description: 'Exactly what is being approved, and why the gate is on.' })
export type PendingApproval = z.infer<typeof PendingApproval>

export const GateDismissal = z
  .object({
    reason: z.string().min(1).max(4_000),
    gate_id: ShownGate,
  })
  .meta({ id: 'GateDismissal', description: 'Why a stale gate is dismissed.', example: { reason: 'Incident is over' } })

export const BulkDismissal = z
  .strictObject({
    run_ids: z.array(RunId).min(1).max(500).optional(),
    older_than_hours: z
      .number()
      .min(0)
      .max(87_600)
      .optional()
      .meta({ description: 'Default 24, unless `run_ids` are given' }),
    pack: z.string().min(1).max(100).optional(),
    environment: z.string().min(1).max(100).optional(),
    reason: z.string().min(1).max(4_000),
    dry_run: z.boolean().optional(),
    token: z.string().max(200).optional().meta({ description: 'Of a dry run' }),
  })
  .meta({
    id: 'BulkDismissal',
    description: 'Which stale gates are dismissed, and why. At least one selector is needed.',
    example: { older_than_hours: 48, environment: 'staging', reason: 'Left over from last week', dry_run: true },
  })

export const DismissalOutcome = z
  .object({
    dismissed: z.array(z.string()).meta({ description: 'Ids of runs' }),
    skipped: z.array(z.object({ run_id: z.string(), why: z.string() })),
    token: z.string().optional(),
  })
  .meta({ id: 'DismissalOutcome', description: 'What a bulk dismissal did, or would do.' })
