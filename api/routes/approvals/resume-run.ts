import { ApprovalDecision, ApprovalOutcome } from '#core/run/approval-schema.ts'
import { decideGate } from '#services/approvals/decide-gate.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { defined } from '../../defined.ts'
import { RunParams } from '../../schemas/params.ts'

export const resumeRunRoute = defineRoute(
  {
    operationId: 'resumeRun',
    method: 'post',
    path: '/runs/{id}/resume',
    tags: ['approvals'],
    access: 'write',
    auth: 'approver',
    summary: 'Decide a parked gate',
    request: { params: RunParams, body: json(ApprovalDecision) },
    responses: { 200: ok(ApprovalOutcome, 'What the decision led to') },
    problems: [
      'run_not_awaiting',
      'gate_resolved',
      'plan_changed',
      'approver_not_allowed',
      'self_approval',
      'frozen',
      'note_required',
      'plan_hash_required',
    ],
    required: { decision: 'decision_required' },
    idempotent: true,
  },
  async (c) => {
    const { decision, ...rest } = c.req.valid('json')
    const outcome = await decideGate(c.get('ctx'), {
      run_id: c.req.valid('param').id,
      kind: decision,
      ...defined(rest),
    })
    return c.json(outcome, 200)
  },
)
