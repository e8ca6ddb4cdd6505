import { PendingApproval } from '#core/run/approval-schema.ts'
import { pendingApproval } from '#services/approvals/pending-approval.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { RunParams } from '../../schemas/params.ts'

export const pendingApprovalRoute = defineRoute(
  {
    operationId: 'pendingApproval',
    method: 'get',
    path: '/runs/{id}/pending-approval',
    tags: ['approvals'],
    access: 'read',
    auth: 'user',
    summary: 'Read exactly what is being approved',
    request: { params: RunParams },
    responses: { 200: ok(PendingApproval, 'The open gate') },
    problems: ['run_not_awaiting'],
  },
  async (c) => c.json(await pendingApproval(c.get('ctx'), c.req.valid('param').id), 200),
)
