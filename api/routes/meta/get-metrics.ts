import { z } from '@hono/zod-openapi'
import { defineRoute } from '../../define-route.ts'

export const getMetricsRoute = defineRoute(
  {
    operationId: 'getMetrics',
    method: 'get',
    path: '/metrics',
    tags: ['meta'],
    access: 'download',
    auth: 'user',
    summary: 'Figures for Prometheus',
    description:
      'Of this process and of the whole deployment, in the text format 0.0.4. Nothing in them names a tenant.',
    responses: {
      200: { description: 'The figures', content: { 'text/plain': { schema: z.string() } } },
    },
  },
  async (c) => {
    const { body, content_type } = await c.get('deps').readMetrics()
    return c.text(body, 200, { 'content-type': content_type, 'cache-control': 'no-store' })
  },
)
