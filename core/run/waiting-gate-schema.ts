import { z } from 'zod'
import { ENVIRONMENT_CLASSES } from '../environment/environment.ts'
import { DECISIONS } from '../gate/types.ts'
import { SEVERITIES } from '../trigger/alert.ts'
import { PendingApproval } from './approval-schema.ts'
import { Remarks } from './remark-schema.ts'

const { operation, plan, required, evidence } = PendingApproval.shape
const { action_type, risk, environment, targets } = operation.shape

export const WaitingGate = PendingApproval.pick({
  run_id: true,
  gate_id: true,
  kind: true,
  step: true,
  opened_at: true,
  expires_at: true,
  plan_hash: true,
  needs_confirmation: true,
  requester: true,
  on_behalf_of: true,
  because: true,
  retry: true,
  missing: true,
  acknowledged: true,
})
  .extend({
    pack: z.string().meta({ example: 'sre' }),
    template: z.string().meta({ example: 'service-recovery' }),
    environment,
    environment_class: z.enum(ENVIRONMENT_CLASSES),
    risk,
    action_type,
    summary: plan.shape.summary.meta({
      description: 'What will be done',
      example: 'POST https://shop.example/restart',
    }),
    command: plan.shape.command.meta({
      description:
        'The exact command; of a longer one the first 1,000 characters, its length and the beginning of its SHA-256. Secrets and invisible characters as in `inputs`',
      example: "curl -X POST 'https://shop.example/restart'",
    }),
    targets: targets.shape.count.meta({ description: 'How many things it touches, where the operator knows' }),
    require_note: required.shape.require_note,
    approvals: z
      .object({ have: z.int().min(0), need: z.int().min(1) })
      .meta({ description: 'Counted so far, and how many it takes' }),
    reason: z.string().optional().meta({ description: 'Why the run was started; of an alert its title' }),
    trigger: z.string().optional().meta({
      description: 'What started its run, as `provenance.trigger.type` names it',
      example: 'alert',
    }),
    alert: z
      .object({ title: z.string(), severity: z.enum(SEVERITIES), service: z.string() })
      .optional()
      .meta({ description: 'The alert that started the run' }),
    evidence: z.array(evidence.element.pick({ title: true }).extend({ excerpt: z.string() })).meta({
      description: 'The beginning, 200 characters, of each of the first three findings of the steps before',
      example: [{ title: 'Ask for its health', excerpt: 'status: 503\njson:\n  detail: disk full' }],
    }),
    comment_count: z.int().min(0),
    newest_comment: Remarks.shape.comments.element
      .optional()
      .meta({ description: 'The newest comment on it, the first 300 characters' }),
    frozen: z
      .object({ name: z.string(), until: z.iso.datetime() })
      .optional()
      .meta({ description: 'A freeze in which nobody may approve it' }),
    halted: z.string().optional().meta({
      description: 'Why a halt holds its run: an answer is taken, and what is approved goes on when the halt is lifted',
    }),
    you_may: z
      .array(z.enum(DECISIONS))
      .meta({ description: 'The answers that would be taken from you now; empty where you may not answer' }),
  })
  .meta({
    id: 'WaitingGate',
    description:
      'A gate that waits for an answer; `GET /runs/{id}/pending-approval` says exactly what is being approved.',
  })
export type WaitingGate = z.infer<typeof WaitingGate>
