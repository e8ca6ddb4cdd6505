import { asJson, type Db } from '../db.ts'
import type { TenantDb } from '../tenant-db.ts'
import type { AuthoredRow, AuthoredStore } from './authored.ts'

/** Policies as their authors read and write them. */
export function createPolicyDocuments(db: Db, tenants: TenantDb): AuthoredStore {
  const columns = (on: Db) => on`name, document, author, iso_time(updated_at) as updated_at`
  return {
    list: (workspaceId) =>
      tenants.in(
        workspaceId,
        (on) => on<AuthoredRow[]>`
          select ${columns(on)} from console_policies where workspace_id = ${workspaceId} order by name collate "C"`,
      ),

    async find(workspaceId, name) {
      const [row] = await tenants.in(
        workspaceId,
        (on) => on<AuthoredRow[]>`
          select ${columns(on)} from console_policies where workspace_id = ${workspaceId} and name = ${name}`,
      )
      return row
    },

    async create(workspaceId, { name, document, author }, audit) {
      const [row] = await db<AuthoredRow[]>`
        with made as (
          insert into console_policies (workspace_id, name, document, author)
          values (${workspaceId}, ${name}, ${document}, ${author})
          on conflict (workspace_id, name) do nothing returning *
        ), audited as (
          insert into audit_outbox (draft) select ${db.json(asJson(audit))} from made
        )
        select ${columns(db)} from made`
      return row
    },

    async replace(workspaceId, { name, document, author, before }, audit) {
      const [row] = await db<AuthoredRow[]>`
        with changed as (
          update console_policies set document = ${document}, author = ${author}, updated_at = now()
          where workspace_id = ${workspaceId} and name = ${name} and document = ${before} returning *
        ), audited as (
          insert into audit_outbox (draft) select ${db.json(asJson(audit))} from changed
        )
        select ${columns(db)} from changed`
      return row
    },

    async remove(workspaceId, { name, before }, audit) {
      const rows = await db`
        with gone as (
          delete from console_policies
          where workspace_id = ${workspaceId} and name = ${name} and document = ${before} returning name
        ), audited as (
          insert into audit_outbox (draft) select ${db.json(asJson(audit))} from gone
        )
        select name from gone`
      return rows.length > 0
    },
  }
}

export interface ConsolePolicyRow {
  name: string
  /** YAML as its author wrote it */
  document: string
  author: string
}

/** Policies authored in the console; they apply where an environment attaches them. */
export function createConsolePolicies(db: Db) {
  return {
    async list(workspaceId: string): Promise<ConsolePolicyRow[]> {
      return db<ConsolePolicyRow[]>`
        select name, document, author from console_policies where workspace_id = ${workspaceId} order by name`
    },

    /** Returns the policies of these names, in all workspaces. */
    async named(names: string[]): Promise<ConsolePolicyRow[]> {
      return db<ConsolePolicyRow[]>`select name, document, author from console_policies where name = any(${names})`
    },

    /** Of all workspaces: an environment that attaches one does so for each of them. */
    async names(): Promise<string[]> {
      const rows = await db<{ name: string }[]>`select distinct name from console_policies order by name`
      return rows.map(({ name }) => name)
    },
  }
}
