import { z } from '@hono/zod-openapi'
import { Run } from '#core/run/schema.ts'
import { listRuns } from '#services/runs/list-runs.ts'
import { defineRoute } from '../../define-route.ts'
import { listOf, pageHeaders, pageQuery } from '../../list-response.ts'
import { runSearch, toRunsAsked } from '../../schemas/run-search.ts'

export const listRunsRoute = defineRoute(
  {
    operationId: 'listRuns',
    method: 'get',
    path: '/runs',
    tags: ['runs'],
    access: 'read',
    auth: 'user',
    summary: 'List runs, newest first',
    description:
      'Filters narrow together. Beside `lane` and `status` a request looks at a thousand runs: a page may be short, or empty, while `Link` names the next one.',
    request: { query: z.object({ ...runSearch, ...pageQuery }) },
    responses: { 200: listOf(Run, 'runs') },
    problems: ['invalid_cursor'],
    repeatable: ['lane', 'status'],
  },
  async (c) => {
    const page = await listRuns(c.get('ctx'), toRunsAsked(c.req.valid('query')))
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
