import { AuditCheckpoint } from '#core/audit/record-schema.ts'
import { getAuditCheckpoint } from '#services/audit/get-audit-checkpoint.ts'
import { defineRoute, ok } from '../../define-route.ts'

export const getAuditCheckpointRoute = defineRoute(
  {
    operationId: 'getAuditCheckpoint',
    method: 'get',
    path: '/console/api/audit/checkpoint',
    tags: ['audit'],
    access: 'read',
    auth: 'user',
    scope: 'account',
    summary: 'Where the audit chain ends',
    description: 'By the database, with what the check that runs all the time found in the log. It is not signed.',
    responses: { 200: ok(AuditCheckpoint, 'The end of the chain') },
  },
  async (c) => c.json(await getAuditCheckpoint(c.get('ctx')), 200),
)
