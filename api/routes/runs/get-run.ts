import { Run } from '#core/run/schema.ts'
import { getRun } from '#services/runs/get-run.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { RunParams } from '../../schemas/params.ts'

export const getRunRoute = defineRoute(
  {
    operationId: 'getRun',
    method: 'get',
    path: '/runs/{id}',
    tags: ['runs'],
    access: 'read',
    auth: 'user',
    summary: 'Read a run with its provenance and live progress',
    request: { params: RunParams },
    responses: { 200: ok(Run, 'The run') },
  },
  async (c) => c.json(await getRun(c.get('ctx'), c.req.valid('param').id), 200),
)
