import { z } from '@hono/zod-openapi'
import { Artifact } from '#core/run/artifact-schema.ts'
import { listArtifacts } from '#services/runs/list-artifacts.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { RunParams } from '../../schemas/params.ts'

export const listArtifactsRoute = defineRoute(
  {
    operationId: 'listArtifacts',
    method: 'get',
    path: '/runs/{id}/artifacts',
    tags: ['runs'],
    access: 'read',
    auth: 'user',
    summary: 'List what a run left behind',
    request: { params: RunParams },
    responses: { 200: ok(z.array(Artifact), 'Artifacts, oldest first') },
  },
  async (c) => c.json(await listArtifacts(c.get('ctx'), c.req.valid('param').id), 200),
)
