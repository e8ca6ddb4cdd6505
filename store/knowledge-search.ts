import type { Statements } from './db.ts'
import type { FoundChunk } from './knowledge-rows.ts'
import type { TenantDb } from './tenant-db.ts'

export type KnowledgeSearch = ReturnType<typeof createKnowledgeSearch>

/** Finds chunks in the corpora of one workspace, best first. */
export function createKnowledgeSearch(tenants: TenantDb) {
  const columns = (on: Statements) => on`
    c.corpus_id, k.name as corpus, c.path, c.ordinal, c.from_line, c.to_line, c.heading, c.text, c.digest`

  return {
    /**
     * By their words. Those that hold all that is asked for come first, and then those that hold some of it; where the question excludes
     * something, only those that answer it whole.
     */
    byWords(
      workspaceId: string,
      { corpora, query, limit }: { corpora: readonly string[]; query: string; limit: number },
    ): Promise<FoundChunk[]> {
      return tenants.in(
        workspaceId,
        (on) => on<FoundChunk[]>`
          with asked as materialized (
            select websearch_to_tsquery('english', translate(${query}, './_:', '    ')) as whole
          ), question as materialized (
            select whole, case when whole::text like '%!%' then whole else replace(whole::text, ' & ', ' | ')::tsquery end as part
            from asked
          )
          select ${columns(on)}
          from question q
          join knowledge_chunks c on c.search @@ q.part
          join knowledge_corpora k on k.workspace_id = c.workspace_id and k.id = c.corpus_id
          where c.workspace_id = ${workspaceId} and c.corpus_id = any(${[...corpora]}::text[])
          order by c.search @@ q.whole desc, ts_rank(c.search, q.part) desc, k.name collate "C", c.path collate "C", c.ordinal
          limit ${limit}`,
      )
    },
  }
}
