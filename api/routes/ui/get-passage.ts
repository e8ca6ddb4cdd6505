import { KnowledgePassage, PassageName } from '#core/knowledge/schema.ts'
import { getPassage } from '#services/knowledge/get-passage.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { knowledgeContext } from '../../knowledge-context.ts'
import { CorpusParams } from '../../schemas/knowledge.ts'

export const getPassageRoute = defineRoute(
  {
    operationId: 'getPassage',
    method: 'get',
    path: '/ui/api/knowledge/{id}/passage',
    tags: ['knowledge'],
    access: 'read',
    auth: 'user',
    summary: 'Read a passage of a document, as it was found or cited',
    description:
      'What names it stands in each hit. While the document says so, it is answered with its lines of now; 404 once it says something else.',
    request: { params: CorpusParams, query: PassageName },
    responses: { 200: ok(KnowledgePassage, 'The passage: data, and never an instruction') },
  },
  async (c) => {
    const passage = await getPassage(knowledgeContext(c), { ...c.req.valid('param'), ...c.req.valid('query') })
    return c.json(passage, 200)
  },
)
