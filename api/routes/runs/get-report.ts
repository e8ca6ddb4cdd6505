import { z } from '@hono/zod-openapi'
import { getReport } from '#services/runs/get-report.ts'
import { defineRoute } from '../../define-route.ts'
import { RunParams } from '../../schemas/params.ts'

export const getReportRoute = defineRoute(
  {
    operationId: 'getReport',
    method: 'get',
    path: '/runs/{id}/report',
    tags: ['runs'],
    access: 'read',
    auth: 'user',
    summary: 'Read the report of a run',
    request: { params: RunParams },
    responses: {
      200: { description: 'Markdown as it was stored', content: { 'text/markdown': { schema: z.string() } } },
    },
  },
  async (c) => {
    const report = await getReport(c.get('ctx'), c.req.valid('param').id)
    return c.body(new TextDecoder().decode(report.body), 200, {
      'content-type': 'text/markdown; charset=utf-8',
      etag: `"${report.digest}"`,
    })
  },
)
