import { z } from '@hono/zod-openapi'
import { Run } from '#core/run/schema.ts'
import { cancelRun } from '#services/runs/cancel-run.ts'
import { getRun } from '#services/runs/get-run.ts'
import { defineRoute, ok, optionalJson } from '../../define-route.ts'
import { defined } from '../../defined.ts'
import { RunParams } from '../../schemas/params.ts'

const Cancellation = z
  .object({ reason: z.string().max(4_000).optional() })
  .meta({ id: 'Cancellation', description: 'Why a run is cancelled.', example: { reason: 'Started by mistake' } })

export const cancelRunRoute = defineRoute(
  {
    operationId: 'cancelRun',
    method: 'post',
    path: '/runs/{id}/cancel',
    tags: ['runs'],
    access: 'write',
    auth: 'operator',
    only_ends: true,
    summary: 'Cancel a run',
    description: 'A parked gate is closed by it; a running step is told and waited for. The body may be left out.',
    request: { params: RunParams, body: optionalJson(Cancellation) },
    responses: { 202: ok(Run, 'The run on its way to `cancelled`') },
    problems: ['run_terminal', 'conflict'],
    idempotent: true,
  },
  async (c) => {
    const { id } = c.req.valid('param')
    await cancelRun(c.get('ctx'), { run_id: id, ...defined(c.req.valid('json')) })
    return c.json(await getRun(c.get('ctx'), id), 202)
  },
)
