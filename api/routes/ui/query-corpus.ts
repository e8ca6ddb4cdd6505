import { CorpusAnswer, CorpusQuestion } from '#core/knowledge/schema.ts'
import { queryCorpus } from '#services/knowledge/query-corpus.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { knowledgeContext } from '../../knowledge-context.ts'
import { CorpusParams } from '../../schemas/knowledge.ts'

export const queryCorpusRoute = defineRoute(
  {
    operationId: 'queryCorpus',
    method: 'post',
    path: '/ui/api/knowledge/{id}/query',
    tags: ['knowledge'],
    access: 'read',
    auth: 'user',
    summary: 'Search a corpus',
    description:
      'By words always: `"a phrase"`, `or` and `-without` are understood. By meaning as well if a model is bound to the role `embed` and the caller may call models; `used` says which. Each hit is a chunk of a document with its lines and its digest.',
    request: { params: CorpusParams, body: json(CorpusQuestion) },
    responses: { 200: ok(CorpusAnswer, 'What was found, best first') },
  },
  async (c) => {
    return c.json(await queryCorpus(knowledgeContext(c), { id: c.req.valid('param').id, ...c.req.valid('json') }), 200)
  },
)
