import type { KnowledgeContext } from '#services/knowledge/knowledge-ports.ts'
import type { ApiContext } from './context.ts'

/** What the verbs of corpora take. */
export function knowledgeContext(c: ApiContext): KnowledgeContext {
  const { models, knowledge } = c.get('deps')
  return { ...c.get('ctx'), ...models, knowledge }
}
