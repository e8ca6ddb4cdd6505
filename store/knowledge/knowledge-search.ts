import { signsOf } from '#core/knowledge/fuse-ranks.ts'
import type { Statements } from '../db.ts'
import type { TenantDb } from '../tenant-db.ts'
import type { FoundChunk } from './knowledge-rows.ts'

/** Signs are a coarse measure: this many times the requested number is compared exactly. */
const COMPARED = 3

export type KnowledgeSearch = ReturnType<typeof createKnowledgeSearch>

/** Finds chunks in the corpora of one workspace, best first. */
export function createKnowledgeSearch(tenants: TenantDb) {
  const columns = (on: Statements) => on`
    c.corpus_id, k.name as corpus, c.path, c.ordinal, c.from_line, c.to_line, c.heading, c.text, c.digest`

  return {
    /**
     * Searches by words. Chunks with all of the words come first, then those with some; where the question excludes a word, only those that
     * match all of it.
     */
    byText(
      workspaceId: string,
      { corpora, query, limit }: { corpora: readonly string[]; query: string; limit: number },
    ): Promise<FoundChunk[]> {
      return tenants.in(
        workspaceId,
        (on) => on<FoundChunk[]>`
          with asked as materialized (
            select websearch_to_tsquery('english', searched_text(${query}, true)) as whole
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

    /** Returns the chunks of one document in their order: the first of these paths that a corpus has. */
    ofDocument(
      workspaceId: string,
      { corpora, paths, limit }: { corpora: readonly string[]; paths: readonly string[]; limit: number },
    ): Promise<FoundChunk[]> {
      return tenants.in(
        workspaceId,
        (on) => on<FoundChunk[]>`
          with document as (
            select c.corpus_id, c.path from knowledge_chunks c
            join unnest(${[...paths]}::text[]) with ordinality as p (path, place) on p.path = c.path
            where c.workspace_id = ${workspaceId} and c.corpus_id = any(${[...corpora]}::text[])
            order by p.place, c.corpus_id limit 1
          )
          select ${columns(on)}
          from document d
          join knowledge_chunks c on c.corpus_id = d.corpus_id and c.path = d.path
          join knowledge_corpora k on k.workspace_id = c.workspace_id and k.id = c.corpus_id
          where c.workspace_id = ${workspaceId}
          order by c.ordinal limit ${limit}`,
      )
    },

    /** Searches by meaning. The nearest signs are found fast, and sorted by the vectors themselves. */
    byVector(
      workspaceId: string,
      {
        corpora,
        model,
        vector,
        limit,
      }: { corpora: readonly string[]; model: string; vector: readonly number[]; limit: number },
    ): Promise<FoundChunk[]> {
      const signs = signsOf(vector)
      return tenants.in(
        workspaceId,
        (on) => on<FoundChunk[]>`
          with near as (
            select workspace_id, corpus_id, path, ordinal, from_line, to_line, heading, text, digest, embedding
            from knowledge_chunks
            where workspace_id = ${workspaceId} and corpus_id = any(${[...corpora]}::text[]) and embedded_by = ${model}
              and length(signs) = ${signs.length}
            order by bit_count(signs # ${signs}::text::bit varying), corpus_id, path, ordinal limit ${limit * COMPARED}
          )
          select ${columns(on)}
          from near c
          join knowledge_corpora k on k.workspace_id = c.workspace_id and k.id = c.corpus_id
          cross join lateral (
            select sum(a * b) as nearness from unnest(c.embedding, ${`{${vector.join(',')}}`}::text::real[]) as t (a, b)
          ) n
          order by n.nearness desc, k.name collate "C", c.path collate "C", c.ordinal limit ${limit}`,
      )
    },
  }
}
