import type { CorpusAnswer, CorpusQuestion } from '#core/knowledge/schema.ts'
import { findCorpus } from './corpus-record.ts'
import type { KnowledgeContext } from './knowledge-ports.ts'
import { searchCorpora } from './search-corpora.ts'

/** Searches one corpus, and says how. */
export async function queryCorpus(
  ctx: KnowledgeContext,
  { id, ...question }: { id: string } & CorpusQuestion,
): Promise<CorpusAnswer> {
  return await searchCorpora(ctx, { ...question, corpora: [await findCorpus(ctx, id)] })
}
