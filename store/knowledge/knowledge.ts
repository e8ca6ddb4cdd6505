import type { AuditDraft } from '#core/audit/types.ts'
import type { Chunk } from '#core/knowledge/chunk-text.ts'
import type { ChunkName, CorpusProblem } from '#core/knowledge/schema.ts'
import { asJson, type Db, type Statements } from '../db.ts'
import type { TenantDb } from '../tenant-db.ts'
import type {
  CorpusDraft,
  CorpusPlace,
  CorpusRow,
  FoundChunk,
  ListedDocument,
  ListingChanges,
  PendingDocument,
} from './knowledge-rows.ts'
import { createKnowledgeVectors } from './knowledge-vectors.ts'

export type KnowledgeStore = ReturnType<typeof createKnowledgeStore>

/** Corpora of workspaces, with their chunks. A document is replaced whole, in a transaction of its own. */
export function createKnowledgeStore(db: Db, tenants: TenantDb) {
  const columns = (on: Statements) => on`
    c.id, c.workspace_id, c.name, c.source, c.version, c.problems, c.author, iso_time(c.created_at) as created_at,
    iso_time(c.updated_at) as updated_at, iso_time(c.listed_at) as listed_at, d.documents, d.pending, d.chunks, v.vectors, d.bytes`
  const counted = (on: Statements) => on`
    cross join lateral (
      select count(*)::integer as documents, (count(*) filter (where state = 'pending'))::integer as pending,
        coalesce(sum(chunks), 0)::integer as chunks, coalesce(sum(size_bytes), 0)::integer as bytes
      from knowledge_documents where workspace_id = c.workspace_id and corpus_id = c.id) d
    cross join lateral (
      select count(*)::integer as vectors from knowledge_chunks
      where workspace_id = c.workspace_id and corpus_id = c.id and embedded_by is not null) v`
  const audited = (sql: Statements, audit: AuditDraft) =>
    sql`insert into audit_outbox (draft) values (${db.json(asJson(audit))})`

  return {
    list: (workspaceId: string): Promise<CorpusRow[]> =>
      tenants.in(
        workspaceId,
        (on) => on<CorpusRow[]>`
          select ${columns(on)} from knowledge_corpora c ${counted(on)}
          where c.workspace_id = ${workspaceId} order by c.name collate "C"`,
      ),

    async find({ workspace_id, id }: CorpusPlace): Promise<CorpusRow | undefined> {
      const [row] = await tenants.in(
        workspace_id,
        (on) => on<CorpusRow[]>`
          select ${columns(on)} from knowledge_corpora c ${counted(on)}
          where c.workspace_id = ${workspace_id} and c.id = ${id}`,
      )
      return row
    },

    /** Returns the chunk of a document with exactly this text; of equal ones, the nearest to a line. */
    async chunk({ workspace_id, id }: CorpusPlace, { path, digest, line }: ChunkName): Promise<FoundChunk | undefined> {
      const [row] = await tenants.in(
        workspace_id,
        (on) => on<FoundChunk[]>`
          select c.corpus_id, k.name as corpus, c.path, c.ordinal, c.from_line, c.to_line, c.heading, c.text, c.digest
          from knowledge_chunks c
          join knowledge_corpora k on k.workspace_id = c.workspace_id and k.id = c.corpus_id
          where c.workspace_id = ${workspace_id} and c.corpus_id = ${id} and c.path = ${path} and c.digest = ${digest}
          order by abs(c.from_line - ${line}::integer), c.ordinal limit 1`,
      )
      return row
    },

    /** Returns the corpora of these names, or all. */
    async named(workspaceId: string, names?: readonly string[]): Promise<{ id: string; name: string }[]> {
      return tenants.in(
        workspaceId,
        (on) => on<{ id: string; name: string }[]>`
          select id, name from knowledge_corpora where workspace_id = ${workspaceId}
            ${names === undefined ? on`` : on`and name = any(${[...names]}::text[])`}
          order by name collate "C"`,
      )
    },

    /** False when the name is taken, or the workspace has `most` corpora already. */
    async create(draft: CorpusDraft, most: number, audit: AuditDraft): Promise<boolean> {
      const { id, workspace_id, name, source, author } = draft
      return await db.begin(async (sql) => {
        // serialised, or two writers would both find the last free place
        await sql`select pg_advisory_xact_lock(hashtextextended(${`svc:knowledge:${workspace_id}`}, 0))`
        const made = await sql`
          insert into knowledge_corpora (id, workspace_id, name, source, author)
          select ${id}, ${workspace_id}, ${name}, ${db.json(asJson(source))}, ${author}
          where (select count(*) from knowledge_corpora where workspace_id = ${workspace_id}) < ${most}
          on conflict on constraint knowledge_corpora_by_name do nothing returning id`
        if (made.length > 0) await audited(sql, audit)
        return made.length > 0
      })
    },

    /** Deletes it with its content; false when it does not exist, or was listed again since `version`. */
    async remove(
      { workspace_id, id, version }: CorpusPlace & { version: number },
      audit: AuditDraft,
    ): Promise<boolean> {
      return await db.begin(async (sql) => {
        const deleted = await sql`
          delete from knowledge_corpora where workspace_id = ${workspace_id} and id = ${id} and version = ${version} returning id`
        if (deleted.length > 0) await audited(sql, audit)
        return deleted.length > 0
      })
    },

    /**
     * Stores the list of a corpus's documents: new and changed ones are pending, missing ones are deleted with their chunks. Undefined when
     * it was listed since `version`, so that this list may be older.
     */
    async putListing(
      { workspace_id, id, version }: CorpusPlace & { version: number },
      { documents, problems }: { documents: readonly ListedDocument[]; problems: readonly CorpusProblem[] },
      audit: (changes: ListingChanges) => AuditDraft,
    ): Promise<ListingChanges | undefined> {
      return await db.begin(async (sql) => {
        const listed = await sql`
          update knowledge_corpora set version = version + 1, problems = ${db.json(asJson(problems))}, listed_at = now(), updated_at = now()
          where workspace_id = ${workspace_id} and id = ${id} and version = ${version} returning id`
        if (listed.length === 0) return undefined
        const [row] = await sql<ListingChanges[]>`
          with now_there as (
            select * from jsonb_to_recordset(${db.json(asJson(documents))}) as t (path text, digest text, size_bytes integer, content text)
          ), removed as (
            delete from knowledge_documents d where workspace_id = ${workspace_id} and corpus_id = ${id}
              and not exists (select from now_there n where n.path = d.path) returning path
          ), written as (
            insert into knowledge_documents as d (workspace_id, corpus_id, path, digest, size_bytes, content)
            select ${workspace_id}, ${id}, path, digest, size_bytes, content from now_there
            on conflict (workspace_id, corpus_id, path) do update
              set digest = excluded.digest, size_bytes = excluded.size_bytes, content = excluded.content, state = 'pending'
              where d.digest <> excluded.digest
            returning xmax = 0 as is_new
          )
          select (select count(*) from written where is_new)::integer as added,
            (select count(*) from written where not is_new)::integer as changed,
            (select count(*) from now_there)::integer - (select count(*) from written)::integer as unchanged,
            (select count(*) from removed)::integer as removed`
        const changes = row ?? { added: 0, changed: 0, unchanged: 0, removed: 0 }
        await audited(sql, audit(changes))
        return changes
      })
    },

    /** Documents that are not indexed as they are, in the order of their paths, after a path. */
    async pending({ workspace_id, id }: CorpusPlace, after: string, limit: number): Promise<PendingDocument[]> {
      return tenants.in(
        workspace_id,
        (on) => on<PendingDocument[]>`
          select path, digest, content from knowledge_documents
          where workspace_id = ${workspace_id} and corpus_id = ${id} and state = 'pending' and path > ${after} collate "C"
          order by path collate "C" limit ${limit}`,
      )
    },

    /** Replaces the chunks of a document. False when another call has done so, or it has changed. */
    async putChunks(
      { workspace_id, id }: CorpusPlace,
      { path, digest }: { path: string; digest: string },
      chunks: readonly (Chunk & { digest: string })[],
    ): Promise<boolean> {
      return await db.begin(async (sql) => {
        // the second of two waits here, and finds that nothing is left to do
        const open = await sql`
          select path from knowledge_documents
          where workspace_id = ${workspace_id} and corpus_id = ${id} and path = ${path} and digest = ${digest} and state = 'pending'
          for update`
        if (open.length === 0) return false
        await sql`
          delete from knowledge_chunks where workspace_id = ${workspace_id} and corpus_id = ${id} and path = ${path}`
        await sql`
          insert into knowledge_chunks (workspace_id, corpus_id, path, ordinal, from_line, to_line, heading, text, digest)
          select ${workspace_id}, ${id}, ${path}, ordinal, from_line, to_line, heading, text, digest
          from jsonb_to_recordset(${db.json(asJson(chunks))})
            as t (ordinal integer, from_line integer, to_line integer, heading text, text text, digest text)`
        await sql`
          update knowledge_documents set state = 'indexed', content = null, chunks = ${chunks.length}, indexed_at = now()
          where workspace_id = ${workspace_id} and corpus_id = ${id} and path = ${path}`
        return true
      })
    },

    ...createKnowledgeVectors(db, tenants),
  }
}

/** Names of the corpora of all workspaces. */
export async function readCorpusNames(db: Db): Promise<string[]> {
  const rows = await db<{ name: string }[]>`select distinct name from knowledge_corpora order by name`
  return rows.map(({ name }) => name)
}
