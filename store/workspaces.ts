import type { AuditDraft } from '#core/audit/types.ts'
import type { WorkspaceLimits } from '#core/workspace/schema.ts'
import { asJson, type Db } from './db.ts'

export interface WorkspaceRow {
  id: string
  slug: string
  name: string
  status: 'active' | 'archived'
  protected: boolean
  default_environment: string
  limits: WorkspaceLimits
  /** rises with every change */
  version: number
  created_at: string
  archived_at: string | null
  /** place in the list, exact to the microsecond */
  position: string
}

export interface NewWorkspace {
  id: string
  slug: string
  name: string
  default_environment: string
  limits: WorkspaceLimits
}

export type WorkspaceChange = Pick<WorkspaceRow, 'name' | 'status' | 'protected' | 'default_environment' | 'limits'>

/** Workspaces; every change is one statement with its audit record. */
export function createWorkspaceStore(db: Db) {
  const columns = db`
    id, slug, name, status, protected, default_environment, limits, version, created_at, archived_at,
    created_at::text as position`
  const among = (ids: '*' | string[]) => (ids === '*' ? db`true` : db`id = any(${ids}::text[])`)

  return {
    /** Newest first, after a place in the list, of those among `ids`. */
    async list(
      ids: '*' | string[],
      page: { limit: number; after?: { position: string; id: string } | undefined },
    ): Promise<WorkspaceRow[]> {
      return db<WorkspaceRow[]>`
        select ${columns} from workspaces
        where ${among(ids)}
          ${page.after === undefined ? db`` : db`and (created_at, id) < (${page.after.position}::timestamptz, ${page.after.id})`}
        order by created_at desc, id desc limit ${page.limit}`
    },

    /** The slugs of all that there are, in their order. */
    async slugs(): Promise<string[]> {
      const rows = await db<{ slug: string }[]>`select slug from workspaces order by slug`
      return rows.map(({ slug }) => slug)
    },

    async count(ids: '*' | string[], up_to: number): Promise<number> {
      const [row] = await db<{ count: number }[]>`
        select count(*) as count from (select from workspaces where ${among(ids)} limit ${up_to}) counted`
      return row?.count ?? 0
    },

    async find(id: string): Promise<WorkspaceRow | undefined> {
      const [row] = await db<WorkspaceRow[]>`select ${columns} from workspaces where id = ${id}`
      return row
    },

    /** Undefined when the slug is taken. */
    async create(workspace: NewWorkspace, audit: AuditDraft): Promise<WorkspaceRow | undefined> {
      const { id, slug, name, default_environment, limits } = workspace
      const [row] = await db<WorkspaceRow[]>`
        with written as (
          insert into workspaces (id, slug, name, default_environment, limits)
          values (${id}, ${slug}, ${name}, ${default_environment}, ${db.json({ ...limits })})
          on conflict (slug) do nothing returning *
        ), audited as (
          insert into audit_outbox (draft) select ${db.json(asJson(audit))} from written
        )
        select ${columns} from written`
      return row
    },

    /** Undefined when the record has changed its version. */
    async update(
      id: string,
      version: number,
      change: WorkspaceChange,
      audit: AuditDraft,
    ): Promise<WorkspaceRow | undefined> {
      const [row] = await db<WorkspaceRow[]>`
        with written as (
          update workspaces set name = ${change.name}, status = ${change.status}, protected = ${change.protected},
            default_environment = ${change.default_environment}, limits = ${db.json({ ...change.limits })},
            archived_at = case when ${change.status} = 'archived' then coalesce(archived_at, now()) end,
            version = version + 1
          where id = ${id} and version = ${version} returning *
        ), audited as (
          insert into audit_outbox (draft) select ${db.json(asJson(audit))} from written
        )
        select ${columns} from written`
      return row
    },
  }
}

export type WorkspaceStore = ReturnType<typeof createWorkspaceStore>
