import { DomainError } from '#core/errors.ts'
import type { ChunkName, CorpusAnswer, CorpusQuestion, KnowledgePassage } from '#core/knowledge/schema.ts'
import { findCorpus } from './corpus-record.ts'
import type { KnowledgeContext } from './knowledge-ports.ts'
import { searchCorpora, toChunk } from './search-corpora.ts'

/** Searches one corpus, and says how. */
export async function queryCorpus(
  ctx: KnowledgeContext,
  { id, ...question }: { id: string } & CorpusQuestion,
): Promise<CorpusAnswer> {
  return await searchCorpora(ctx, { ...question, corpora: [await findCorpus(ctx, id)] })
}

/** A chunk of the caller's workspace as it was cited. Throws `not_found` once its document says something else there. */
export async function getPassage(
  ctx: KnowledgeContext,
  { id, ...name }: { id: string } & ChunkName,
): Promise<KnowledgePassage> {
  const found = await ctx.knowledge.store.chunk({ workspace_id: ctx.workspace_id, id }, name)
  if (found === undefined)
    throw new DomainError('not_found', 'there is no such chunk; its document has been changed or removed since')
  return toChunk(found)
}
