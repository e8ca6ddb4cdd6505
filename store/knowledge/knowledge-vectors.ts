import { asJson, type Db } from '../db.ts'
import type { TenantDb } from '../tenant-db.ts'
import type { CorpusPlace, UnplacedChunk } from './knowledge-rows.ts'

/** The vectors of chunks. Each names the model that made it: those of two models cannot be compared. */
export function createKnowledgeVectors(db: Db, tenants: TenantDb) {
  return {
    /** Returns chunks without a vector of this model, in their order. */
    async withoutVector({ workspace_id, id }: CorpusPlace, model: string, limit: number): Promise<UnplacedChunk[]> {
      return tenants.in(
        workspace_id,
        (on) => on<UnplacedChunk[]>`
          select path, ordinal, heading, text, digest from knowledge_chunks
          where workspace_id = ${workspace_id} and corpus_id = ${id} and embedded_by is distinct from ${model}
          order by path collate "C", ordinal limit ${limit}`,
      )
    },

    /** Gives chunks their vectors, as far as they are the same still. */
    async putVectors(
      { workspace_id, id }: CorpusPlace,
      model: string,
      placed: readonly (Pick<UnplacedChunk, 'path' | 'ordinal' | 'digest'> & {
        vector: readonly number[]
        signs: string
      })[],
    ): Promise<number> {
      const rows = placed.map(({ vector, ...rest }) => ({ ...rest, vector: `{${vector.join(',')}}` }))
      const written = await db`
        update knowledge_chunks c
        set embedded_by = ${model}, embedding = t.vector::real[], signs = t.signs::bit varying
        from jsonb_to_recordset(${db.json(asJson(rows))}) as t (path text, ordinal integer, digest text, vector text, signs text)
        where c.workspace_id = ${workspace_id} and c.corpus_id = ${id} and c.path = t.path and c.ordinal = t.ordinal and c.digest = t.digest
        returning c.ordinal`
      return written.length
    },

    /** Counts the chunks without a vector of this model. */
    async countWithoutVector({ workspace_id, id }: CorpusPlace, model: string): Promise<number> {
      const [row] = await tenants.in(
        workspace_id,
        (on) => on<{ count: number }[]>`
          select count(*)::integer as count from knowledge_chunks
          where workspace_id = ${workspace_id} and corpus_id = ${id} and embedded_by is distinct from ${model}`,
      )
      return row?.count ?? 0
    },
  }
}
