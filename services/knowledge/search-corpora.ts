import { DomainError } from '#core/errors.ts'
import { MAX_HITS, USUAL_HITS } from '#core/knowledge/chunk-text.ts'
import { fuseRanks } from '#core/knowledge/fuse-ranks.ts'
import type { ChunkName, CorpusAnswer, CorpusQuestion, KnowledgePassage } from '#core/knowledge/schema.ts'
import type { FoundChunk } from '#store/knowledge/knowledge-rows.ts'
import { findCorpus } from './corpus-record.ts'
import { embedQuestion } from './embed-question.ts'
import type { KnowledgeContext } from './knowledge-ports.ts'

/** of each kind of search; the merge needs more candidates than it returns */
const CANDIDATES = 100

/** Searches these corpora of the caller's workspace: by words always, and by meaning where a model makes vectors. */
export async function searchCorpora(
  ctx: KnowledgeContext,
  {
    query,
    corpora,
    limit = USUAL_HITS,
  }: { query: string; corpora: readonly { id: string }[]; limit?: number | undefined },
): Promise<CorpusAnswer> {
  if (corpora.length === 0) return { hits: [], used: ['text'] }
  const most = Math.min(Math.max(1, limit), MAX_HITS)
  const within = { corpora: corpora.map(({ id }) => id), limit: CANDIDATES }
  const { search } = ctx.knowledge
  const [byText, asked] = await Promise.all([
    search.byText(ctx.workspace_id, { ...within, query }),
    embedQuestion(ctx, query),
  ])
  const byVector = 'vector' in asked ? await search.byVector(ctx.workspace_id, { ...within, ...asked }) : []
  const fused = fuseRanks([byText, byVector], ({ corpus_id, path, ordinal }) =>
    JSON.stringify([corpus_id, path, ordinal]),
  )
  return {
    hits: fused.slice(0, most).map(({ item, score }) => ({ ...toChunk(item), score })),
    used: 'vector' in asked ? ['text', 'vectors'] : ['text'],
    ...('refused' in asked && asked.refused !== undefined && { vectors_refused: asked.refused }),
  }
}

/** A row of the index as people see it. */
export function toChunk({ ordinal: _ordinal, heading, ...chunk }: FoundChunk): KnowledgePassage {
  return { ...chunk, ...(heading !== null && { heading }) }
}

/** Searches one corpus, and describes how. */
export async function queryCorpus(
  ctx: KnowledgeContext,
  { id, ...question }: { id: string } & CorpusQuestion,
): Promise<CorpusAnswer> {
  return await searchCorpora(ctx, { ...question, corpora: [await findCorpus(ctx, id)] })
}

/** Returns a chunk of the caller's workspace as it was cited. Throws `not_found` once its document has changed there. */
export async function getPassage(
  ctx: KnowledgeContext,
  { id, ...name }: { id: string } & ChunkName,
): Promise<KnowledgePassage> {
  const found = await ctx.knowledge.store.chunk({ workspace_id: ctx.workspace_id, id }, name)
  if (found === undefined)
    throw new DomainError('not_found', 'there is no such chunk; its document has been changed or removed since')
  return toChunk(found)
}
