import { deleteCorpus } from '#services/knowledge/delete-corpus.ts'
import { defineRoute } from '../../define-route.ts'
import { knowledgeContext } from '../../knowledge-context.ts'
import { CorpusParams } from '../../schemas/knowledge.ts'
import { IfMatch } from '../../schemas/workspaces.ts'

export const deleteCorpusRoute = defineRoute(
  {
    operationId: 'deleteCorpus',
    method: 'delete',
    path: '/ui/api/knowledge/{id}',
    tags: ['knowledge'],
    access: 'write',
    auth: 'admin',
    summary: 'Delete a corpus with everything that was indexed',
    description: 'Files stay as they are. `GET /healthz?verbose` reports an environment that still attaches it.',
    request: { params: CorpusParams, headers: IfMatch },
    responses: { 204: { description: 'It is gone' } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    await deleteCorpus(knowledgeContext(c), {
      id: c.req.valid('param').id,
      if_match: c.req.valid('header')['if-match'],
    })
    return c.body(null, 204)
  },
)
