import { z } from 'zod'
import { Preflight } from '../plan/preflight-schema.ts'

const Time = z.iso.datetime().meta({ description: 'RFC 3339, UTC, milliseconds', example: '2026-01-05T09:30:00.000Z' })
const Usd = z.number().min(0)
const EXAMPLE_THREAD = 'thr_01hzy3v9k5m8q2w4x6z8b0d2f4'
const EXAMPLE_TURN = 'turn_01hzy3v9k5m8q2w4x6z8b0d2f5'
const ThreadId = z.string().min(1).max(100)

/** A question. The caller, account and workspace are never part of it. */
export const AskRequest = z
  .strictObject({
    query: z.string().min(1).max(4_000).meta({ description: 'What you want to know, or to have done' }),
    thread_id: ThreadId.optional().meta({
      description: 'A thread of yours to continue; any other id begins a new thread',
      example: EXAMPLE_THREAD,
    }),
  })
  .meta({
    id: 'AskRequest',
    description: 'A question. Account and workspace are those of the request, never of its body.',
    example: { query: 'Why did the last run of incident/service-recovery fail?' },
  })
export type AskRequest = z.infer<typeof AskRequest>

/** A question that nothing came before. */
export const PlanQuestion = AskRequest.pick({ query: true })
  .extend({
    model: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'A model or a role of one. Default: `small`, or `default` if no model has that role' }),
  })
  .meta({
    id: 'PlanQuestion',
    description: 'What you want to have done, in words.',
    example: { query: 'Restart the checkout service' },
  })

/** The turn and the form that started a run. */
export const AskOrigin = z.strictObject({ thread_id: ThreadId, turn_id: z.string().min(1).max(100) }).meta({
  id: 'AskOrigin',
  description: 'The answer of `POST /ask` whose action is started; it must be yours, and its plan unchanged',
  example: { thread_id: EXAMPLE_THREAD, turn_id: EXAMPLE_TURN },
})
export type AskOrigin = z.infer<typeof AskOrigin>

const Citation = z.object({
  id: z.string().meta({ description: 'As the answer cites it: `[^t1]`', example: 't1' }),
  tool: z.string().meta({ example: 'get_run' }),
  ref: z
    .string()
    .meta({ description: 'What was read: a path of this API', example: '/runs/run_01hzy3v9k5m8q2w4x6z8b0d2f4' }),
  digest: z.string().meta({ description: 'Of the result as it is stored' }),
  quote: z.string().optional(),
})
export type AskCitation = z.infer<typeof Citation>

const ToolUse = z.object({
  name: z.string(),
  args_hash: z.string(),
  ms: z.int().min(0),
  rows: z.int().min(0),
})
export type AskToolUse = z.infer<typeof ToolUse>

export const AskAction = z
  .object({
    type: z.literal('run_form'),
    pack: z.string(),
    template: z.string(),
    inputs: z.record(z.string(), z.unknown()).meta({ description: 'With the defaults; secrets are left out' }),
    missing: z
      .array(z.object({ name: z.string(), schema: z.record(z.string(), z.unknown()) }))
      .meta({ description: 'Inputs that are still missing' }),
    profile: z.string().optional(),
    config_preset: z.string().optional(),
    environment: z.string(),
    preflight: Preflight.pick({ verdict: true, checks: true }),
    gates_expected: Preflight.shape.gates_expected,
    estimate_usd: Preflight.shape.estimate_usd,
    template_digest: z
      .string()
      .meta({ description: 'Digest of the template; a start of this form is refused once the template has changed' }),
    plan_hash: z.string().meta({
      description: 'Hash of the plan with exactly these inputs; a start with it is refused once anything has changed',
    }),
    submit: z.object({ method: z.literal('POST'), path: z.string() }),
    command: z.string().meta({ description: 'The same start on the command line' }),
  })
  .meta({ id: 'AskAction', description: 'The form of a run. Nothing is started until a user sends it.' })
export type AskAction = z.infer<typeof AskAction>

const ANSWERED = {
  turn_id: z.string().meta({ example: EXAMPLE_TURN }),
  answer: z.string().meta({ description: 'Markdown. Each sentence cites the results that it rests on, as `[^t1]`' }),
  grounded: z.boolean().meta({ description: 'false: no result backs the answer, and `answer` says so' }),
  citations: z.array(Citation),
  tools_used: z.array(ToolUse),
  recommended_workflow: z.string().nullable().meta({ example: 'incident/service-recovery' }),
  // not `nullable`, which would make every use of the component one that may be null
  action: z.union([AskAction, z.null()]),
  cost: z.object({ usd: Usd, cap_usd: Usd.meta({ description: 'Of this turn' }) }),
  model: z.string().meta({ description: 'The model that answered' }),
  created_at: Time,
}

const EXAMPLE_ANSWER = {
  turn_id: EXAMPLE_TURN,
  answer: 'The last run failed at the step verify: the service did not answer.[^t1]',
  grounded: true,
  citations: [{ id: 't1', tool: 'list_runs', ref: '/runs?status=failed&limit=1', digest: `sha256:${'d'.repeat(64)}` }],
  tools_used: [{ name: 'list_runs', args_hash: `sha256:${'a'.repeat(64)}`, ms: 4, rows: 1 }],
  recommended_workflow: null,
  action: null,
  cost: { usd: 0.0008, cap_usd: 0.05 },
  model: 'gpt-4o-mini',
  created_at: '2026-01-05T09:30:00.000Z',
}

export const AskAnswer = z.object({ thread_id: z.string().meta({ example: EXAMPLE_THREAD }), ...ANSWERED }).meta({
  id: 'AskAnswer',
  description: 'An answer that rests on what was looked up, or says that there is none.',
  example: { thread_id: EXAMPLE_THREAD, ...EXAMPLE_ANSWER },
})
export type AskAnswer = z.infer<typeof AskAnswer>

const AskTurn = z.object({ query: z.string(), ...ANSWERED }).meta({
  id: 'AskTurn',
  description: 'A question and its answer.',
})
export type AskTurn = z.infer<typeof AskTurn>

export const AskThread = z.object({ thread_id: z.string(), turns: z.array(AskTurn) }).meta({
  id: 'AskThread',
  description: 'The last 100 turns, oldest first. A foreign thread is empty, like one that does not exist.',
  example: {
    thread_id: EXAMPLE_THREAD,
    turns: [{ query: 'Why did the last run fail?', ...EXAMPLE_ANSWER }],
  },
})
export type AskThread = z.infer<typeof AskThread>
