import { GateDismissal } from '#core/run/approval-schema.ts'
import { Run } from '#core/run/schema.ts'
import { expireGate } from '#services/approvals/expire-gate.ts'
import { getRun } from '#services/runs/get-run.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { RunParams } from '../../schemas/params.ts'

export const expireGateRoute = defineRoute(
  {
    operationId: 'expireGate',
    method: 'post',
    path: '/runs/{id}/expire',
    tags: ['approvals'],
    access: 'write',
    auth: 'operator',
    only_ends: true,
    summary: 'Dismiss one stale gate',
    description: 'The run ends as `expired` with the reason `dismissed`; nothing of the plan is carried out.',
    request: { params: RunParams, body: json(GateDismissal) },
    responses: { 200: ok(Run, 'The run') },
    problems: ['run_not_awaiting', 'gate_resolved'],
    idempotent: true,
  },
  async (c) => {
    const { id } = c.req.valid('param')
    await expireGate(c.get('ctx'), { run_id: id, ...c.req.valid('json') })
    return c.json(await getRun(c.get('ctx'), id), 200)
  },
)
