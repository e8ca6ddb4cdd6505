import { Corpus } from '#core/knowledge/schema.ts'
import { getCorpus } from '#services/knowledge/get-corpus.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { knowledgeContext } from '../../knowledge-context.ts'
import { CorpusParams } from '../../schemas/knowledge.ts'
import { ETAG } from '../../schemas/workspaces.ts'

export const getCorpusRoute = defineRoute(
  {
    operationId: 'getCorpus',
    method: 'get',
    path: '/ui/api/knowledge/{id}',
    tags: ['knowledge'],
    access: 'read',
    auth: 'user',
    summary: 'Read a corpus: what is in it, and what is left to index',
    request: { params: CorpusParams },
    responses: { 200: { ...ok(Corpus, 'The corpus'), headers: ETAG } },
  },
  async (c) => {
    const corpus = await getCorpus(knowledgeContext(c), c.req.valid('param').id)
    return c.json(corpus, 200, { etag: corpus.etag })
  },
)
