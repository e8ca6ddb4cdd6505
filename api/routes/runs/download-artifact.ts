import { z } from '@hono/zod-openapi'
import { downloadArtifact } from '#services/runs/download-artifact.ts'
import { defineRoute } from '../../define-route.ts'
import { attachment } from '../../file-response.ts'
import { RunParams } from '../../schemas/params.ts'

const Bytes = z.string().openapi({ format: 'binary' })

export const downloadArtifactRoute = defineRoute(
  {
    operationId: 'downloadArtifact',
    method: 'get',
    path: '/runs/{id}/artifacts/download',
    tags: ['runs'],
    access: 'download',
    auth: 'user',
    summary: 'Download an artifact of a run',
    request: {
      params: RunParams,
      query: z.object({ name: z.string().min(1).max(500).meta({ example: 'report.md' }) }),
    },
    responses: {
      200: {
        description: 'The file as an attachment, of the type that it was kept with',
        content: { 'application/octet-stream': { schema: Bytes }, '*/*': { schema: Bytes } },
      },
    },
  },
  async (c) =>
    attachment(
      await downloadArtifact(c.get('ctx'), { run_id: c.req.valid('param').id, name: c.req.valid('query').name }),
    ),
)
