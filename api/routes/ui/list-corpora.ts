import { z } from '@hono/zod-openapi'
import { Corpus } from '#core/knowledge/schema.ts'
import { listCorpora } from '#services/knowledge/list-corpora.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { knowledgeContext } from '../../knowledge-context.ts'
import { pageHeaders } from '../../list-response.ts'
import { TOTAL } from '../../schemas/authored.ts'

export const listCorporaRoute = defineRoute(
  {
    operationId: 'listCorpora',
    method: 'get',
    path: '/ui/api/knowledge',
    tags: ['knowledge'],
    access: 'read',
    auth: 'user',
    summary: 'List the corpora of the workspace',
    responses: { 200: { ...ok(z.array(Corpus), 'All of them, by name'), headers: TOTAL } },
  },
  async (c) => {
    const page = await listCorpora(knowledgeContext(c))
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
