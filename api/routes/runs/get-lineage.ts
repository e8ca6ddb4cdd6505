import { RunLineage } from '#core/run/lineage-schema.ts'
import { getLineage } from '#services/runs/get-lineage.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { RunParams } from '../../schemas/params.ts'

export const getLineageRoute = defineRoute(
  {
    operationId: 'getLineage',
    method: 'get',
    path: '/runs/{id}/lineage',
    tags: ['runs'],
    access: 'read',
    auth: 'user',
    summary: 'Read where a run came from and what followed',
    description:
      'The story is told from the records of the database and verifies nothing: `svc lineage` reads and verifies the log, and `GET /console/api/audit?run_id=…` gives the records to verify oneself.',
    request: { params: RunParams },
    responses: { 200: ok(RunLineage, 'The lineage of the run') },
  },
  async (c) => c.json(await getLineage(c.get('ctx'), c.req.valid('param').id), 200),
)
