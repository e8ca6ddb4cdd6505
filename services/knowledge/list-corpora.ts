import type { Corpus } from '#core/knowledge/schema.ts'
import type { ListPage } from '../list-page.ts'
import { toCorpusRecord } from './corpus-record.ts'
import type { KnowledgeContext } from './knowledge-ports.ts'

/** All corpora of the caller's workspace, in the order of their names. */
export async function listCorpora(ctx: KnowledgeContext): Promise<ListPage<Corpus>> {
  const rows = await ctx.knowledge.store.list(ctx.workspace_id)
  return { items: rows.map((row) => toCorpusRecord(ctx, row)), total: { count: rows.length, capped: false } }
}
