import { z } from '@hono/zod-openapi'
import type { ErrorCode } from '#core/errors.ts'
import { PendingApproval } from '#core/run/approval-schema.ts'

/** Errors of a decision through a link. */
export const LINK_PROBLEMS = [
  'not_configured',
  'decision_required',
  'gate_resolved',
  'run_not_awaiting',
  'plan_changed',
  'approver_not_allowed',
  'self_approval',
  'note_required',
  'frozen',
  'workspace_archived',
  'conflict',
] as const satisfies ErrorCode[]

export const LinkParams = z.object({
  workflow_id: z
    .string()
    .max(64)
    .meta({ description: 'The action workflow of the gate', example: `action-gate_${'0'.repeat(26)}` }),
})

const NoticeWords = z
  .object({
    title: z.string(),
    summary: z.string(),
    outcome: z.string().optional(),
    note: z.string().optional(),
    facts: z.array(z.object({ label: z.string(), value: z.string() })),
    command: z.string().optional(),
    because: z.array(z.string()),
    evidence: z.array(z.object({ title: z.string(), excerpt: z.string() })),
  })
  .meta({ id: 'NoticeWords', description: 'The words of the message that brought the link, as of now.' })

export const ApprovalLink = z
  .object({
    state: z
      .enum(['open', 'decided', 'changed', 'used', 'blocked'])
      .meta({ description: '`blocked` after too many wrong codes' }),
    workspace: z.string(),
    template: z.string(),
    login_required: z
      .boolean()
      .meta({ description: 'The rule of the gate asks who decides; the link alone does not do' }),
    details: z
      .object({
        run_id: z.string(),
        gate_id: z.string(),
        step: z.string(),
        operator: z.string(),
        environment: z.string(),
        environment_class: z.string().meta({ example: 'production' }),
        risk: z.string(),
        severity: z.string().nullable().meta({ description: 'Of the alert that started the run' }),
        summary: z.string(),
        command: z.string().nullable(),
        targets: z.array(z.string()),
        connection: z.string().nullable().meta({ description: 'Where the connection of the step leads and as whom' }),
        models: z.string().nullable().meta({ description: 'The models that may answer the step, and their endpoints' }),
        because: z.array(z.string()),
        requested_by: z.string().nullable(),
        shaped_by: z.array(z.string()).meta({ description: 'Everyone who shaped the run, by name, and how' }),
        reason: z.string().nullable(),
        plan_hash: z.string(),
        approvals: z
          .object({
            have: z.int(),
            need: z.int(),
            by: z.array(z.string()).meta({ description: 'Who has approved, by name' }),
            missing: z.int(),
            missing_text: z.string().meta({ example: '1 more approval, from dba' }),
          })
          .meta({ description: 'The approvals that count, and those that are still needed' }),
        expires_at: z.string(),
        note_needed: z.enum(['reject', 'always']).nullable(),
        needs_confirmation: PendingApproval.shape.needs_confirmation,
        message: NoticeWords,
      })
      .optional()
      .meta({ description: 'Absent for a visitor who must sign in first' }),
    remarks: z
      .object({
        acknowledged: z.array(z.string()).meta({ description: 'Who is looking at it, by name' }),
        comments: z.array(z.object({ name: z.string(), text: z.string(), at: z.string(), at_words: z.string() })),
      })
      .optional()
      .meta({ description: 'What others say of the open gate; absent for a visitor who must sign in first' }),
    decided: z
      .object({ status: z.string(), by: z.string().nullable(), at: z.string(), at_words: z.string() })
      .optional(),
    tries_left: z
      .int()
      .optional()
      .meta({ description: 'How many wrong codes the link still bears; absent where a code does not do' }),
    signed_in_as: z.string().optional().meta({ description: 'The signed-in user, by name' }),
    user_id: z.string().optional().meta({ description: 'The signed-in user' }),
    answers: z
      .object({
        you_may: z.array(z.enum(['approve', 'reject'])),
        missing: z.string().meta({ description: 'What the gate still needs', example: '1 more approval, from dba' }),
        others: z.array(z.string()).meta({ description: 'People who may bring it, by name' }),
      })
      .optional()
      .meta({ description: 'What the signed-in user may answer, and who else may; absent once it is decided' }),
    nonce: z.string().meta({ description: 'Goes back with the decision, as a field or in `X-Svc-Confirm`' }),
  })
  .meta({ id: 'ApprovalLink', description: 'What a magic link leads to.' })

export const LinkAnswer = z
  .object({
    decision: z.enum(['approve', 'reject', '']).optional(),
    note: z.string().max(4_000).optional(),
    sure: z
      .string()
      .max(10)
      .optional()
      .meta({ description: '`1` confirms an approval that needs it; asked of pages, not of programs' }),
    nonce: z.string().max(200).optional(),
    code: z.string().max(40).optional().meta({ description: 'From the message that brought the link' }),
    email: z.string().max(254).optional(),
    password: z.string().max(1_000).optional(),
    user_id: z
      .string()
      .max(64)
      .optional()
      .meta({ description: 'The user whom the page named: an answer of another one is refused' }),
    keep: z
      .string()
      .max(10)
      .optional()
      .meta({ description: '`1` with a sign-in: opens a session of the console, which is good for further links too' }),
  })
  .meta({ id: 'LinkAnswer', description: 'A decision as the page of a magic link sends it.' })
export type LinkAnswer = z.infer<typeof LinkAnswer>
