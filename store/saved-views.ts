import type { AuditDraft } from '#core/audit/types.ts'
import type { SavedView, ViewName } from '#core/view/schema.ts'
import { asJson, type Db } from './db.ts'
import type { TenantDb } from './tenant-db.ts'

/** The person in a workspace whose views they are. */
export interface ViewOwner {
  workspace_id: string
  user_id: string
}

export type SavedViewStore = ReturnType<typeof createSavedViewStore>

/** Saved views. Every change is one statement with its audit record. */
export function createSavedViewStore(db: Db, tenants: TenantDb) {
  const audited = (from: string, audit: AuditDraft) =>
    db`audited as (insert into audit_outbox (draft) select ${db.json(asJson(audit))} from ${db(from)})`

  return {
    async list({ workspace_id, user_id }: ViewOwner, page: SavedView['page']): Promise<SavedView[]> {
      return await tenants.in(
        workspace_id,
        (on) => on<SavedView[]>`
          select page, name, search from saved_views
          where workspace_id = ${workspace_id} and user_id = ${user_id} and page = ${page} order by lower(name), name`,
      )
    },

    /** Replaces the one of this name. False when the person keeps `most` others already. */
    async save(
      { workspace_id, user_id }: ViewOwner,
      view: SavedView,
      most: number,
      audit: AuditDraft,
    ): Promise<boolean> {
      const { page, name, search } = view
      return await db.begin(async (sql) => {
        // serialised, or two writers would both find the last free place
        await sql`select pg_advisory_xact_lock(hashtextextended(${`svc:views:${workspace_id}:${user_id}`}, 0))`
        const saved = await sql`
          with saved as (
            insert into saved_views (workspace_id, user_id, page, name, search)
            select ${workspace_id}, ${user_id}, ${page}, ${name}, ${db.json(search)}
            where (select count(*) from saved_views
              where workspace_id = ${workspace_id} and user_id = ${user_id} and (page, name) <> (${page}, ${name})) < ${most}
            on conflict (workspace_id, user_id, page, name) do update set search = excluded.search returning 1
          ), ${audited('saved', audit)}
          select from saved`
        return saved.length > 0
      })
    },

    /** False when there is none. */
    async remove({ workspace_id, user_id }: ViewOwner, { page, name }: ViewName, audit: AuditDraft): Promise<boolean> {
      const gone = await db`
        with gone as (
          delete from saved_views
          where workspace_id = ${workspace_id} and user_id = ${user_id} and page = ${page} and name = ${name} returning 1
        ), ${audited('gone', audit)}
        select from gone`
      return gone.length > 0
    },
  }
}
