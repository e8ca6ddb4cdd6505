import { CorpusIndexed, CorpusIndexing } from '#core/knowledge/schema.ts'
import { indexCorpus } from '#services/knowledge/index-corpus.ts'
import { defineRoute, json, MAX_INPUTS_BYTES, ok } from '../../define-route.ts'
import { knowledgeContext } from '../../knowledge-context.ts'
import { CorpusParams } from '../../schemas/knowledge.ts'

export const indexCorpusRoute = defineRoute(
  {
    operationId: 'indexCorpus',
    method: 'post',
    path: '/ui/api/knowledge/{id}/index',
    tags: ['knowledge'],
    access: 'write',
    auth: 'admin',
    summary: 'Index what is new or has changed in a corpus',
    description:
      'A document whose digest has not changed is not indexed again, and one that is gone is forgotten. Each document is stored by itself: after about 20 seconds, or a crash, the rest is `pending`, and the next request continues. Hidden files are left out; a file that lies outside of the source or is not text is named in `problems`, and nothing of it is stored. If a model is bound to the role `embed`, vectors are made through the model gateway; `vectors.refused` says what stops that.',
    request: { params: CorpusParams, body: json(CorpusIndexing) },
    max_body_bytes: MAX_INPUTS_BYTES,
    responses: { 200: ok(CorpusIndexed, 'What was done, and what is left') },
    problems: ['conflict'],
  },
  async (c) => {
    return c.json(await indexCorpus(knowledgeContext(c), { id: c.req.valid('param').id, ...c.req.valid('json') }), 200)
  },
)
