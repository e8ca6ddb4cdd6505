import { Corpus, CorpusDraft } from '#core/knowledge/schema.ts'
import { createCorpus } from '#services/knowledge/create-corpus.ts'
import { defineRoute, json } from '../../define-route.ts'
import { knowledgeContext } from '../../knowledge-context.ts'
import { LOCATION } from '../../schemas/authored.ts'
import { ETAG } from '../../schemas/workspaces.ts'

export const createCorpusRoute = defineRoute(
  {
    operationId: 'createCorpus',
    method: 'post',
    path: '/ui/api/knowledge',
    tags: ['knowledge'],
    access: 'write',
    auth: 'admin',
    summary: 'Register a corpus of documents',
    description:
      'Says where its documents are; `POST …/index` reads them. A folder lies below `SVC_KNOWLEDGE_DIR`, and registering one takes an owner or admin of all workspaces. A source that is not there, or leads out of its directory, is 422.',
    request: { body: json(CorpusDraft) },
    responses: {
      201: {
        description: 'The corpus',
        headers: { ...ETAG, ...LOCATION },
        content: { 'application/json': { schema: Corpus } },
      },
    },
    problems: ['conflict'],
    idempotent: true,
  },
  async (c) => {
    const corpus = await createCorpus(knowledgeContext(c), c.req.valid('json'))
    return c.json(corpus, 201, { location: `/ui/api/knowledge/${corpus.id}`, etag: corpus.etag })
  },
)
