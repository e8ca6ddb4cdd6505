import { z } from 'zod'
import { defineAskTool, refOf } from '../define-ask-tool.ts'

const MOST = 8

export const searchKnowledgeTool = defineAskTool({
  name: 'search_knowledge',
  description: 'Passages of runbooks and other documents of this workspace, best first: how things are done here.',
  input: z.strictObject({
    query: z.string().min(1).max(500).meta({ description: 'What to look for, in words of the documents' }),
    environment: z.string().max(64).optional().meta({ description: 'Only what this environment attaches' }),
    corpora: z.array(z.string().max(64)).min(1).max(10).optional().meta({ description: 'Only these, by name' }),
    limit: z.int().min(1).max(MOST).default(5),
  }),
  async run({ findPassages }, { query, environment, corpora, limit }) {
    const hits = await findPassages({ query, environment, corpora, limit })
    const passages = hits.map(({ corpus_id, corpus, path, from_line, to_line, heading, text, digest }) => ({
      data: { corpus, path, from_line, to_line, text, ...(heading !== undefined && { heading }) },
      ref: refOf(`/ui/api/knowledge/${corpus_id}/passage`, { path, line: from_line, digest }),
    }))
    return { data: { passages: [] }, rows: passages.length, ref: '/ui/api/knowledge', passages }
  },
})
