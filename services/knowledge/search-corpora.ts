import { fuseRanks } from '#core/knowledge/fuse-ranks.ts'
import type { KnowledgeHit } from '#core/knowledge/schema.ts'
import type { FoundChunk } from '#store/knowledge-rows.ts'
import type { KnowledgeContext } from './knowledge-ports.ts'

const USUAL_HITS = 8
const MOST_HITS = 50
/** of each way of searching; what is fused has to be longer than what is answered */
const CANDIDATES = 100

export interface CorpusAnswer {
  hits: KnowledgeHit[]
  /** by what it was searched */
  used: ('text' | 'vectors')[]
}

/** Searches these corpora of the caller's workspace, in every way that there is. */
export async function searchCorpora(
  ctx: KnowledgeContext,
  {
    query,
    corpora,
    limit = USUAL_HITS,
  }: { query: string; corpora: readonly { id: string }[]; limit?: number | undefined },
): Promise<CorpusAnswer> {
  const ids = corpora.map(({ id }) => id)
  const most = Math.min(Math.max(1, limit), MOST_HITS)
  const within = { corpora: ids, limit: Math.max(most, CANDIDATES) }
  const byWords = ids.length === 0 ? [] : await ctx.knowledge.search.byWords(ctx.workspace_id, { ...within, query })
  const fused = fuseRanks([byWords], ({ corpus_id, path, ordinal }) => JSON.stringify([corpus_id, path, ordinal]))
  return { hits: fused.slice(0, most).map(({ item, score }) => toHit(item, score)), used: ['text'] }
}

function toHit({ ordinal: _ordinal, heading, ...chunk }: FoundChunk, score: number): KnowledgeHit {
  return { ...chunk, ...(heading !== null && { heading }), score }
}
