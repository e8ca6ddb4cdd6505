import { asJson, type Db } from '../db.ts'
import type { AuthoredRow, AuthoredStore } from './authored.ts'

export type DocumentKind = 'rule' | 'environment' | 'profile' | 'model_roles'

/** The workspace of documents that apply to all: environments, profiles and model roles. */
export const EVERYWHERE = '*'

/** Console documents other than policies. Every process reads them, for all workspaces; each statement names its workspace. */
export function createConsoleDocuments(db: Db, kind: DocumentKind): AuthoredStore {
  const columns = db`name, document, author, authors, iso_time(updated_at) as updated_at`
  return {
    async list(workspaceId) {
      return db<AuthoredRow[]>`
        select ${columns} from console_documents where kind = ${kind} and workspace_id = ${workspaceId}
        order by name collate "C"`
    },

    async find(workspaceId, name) {
      const [row] = await db<AuthoredRow[]>`
        select ${columns} from console_documents
        where kind = ${kind} and workspace_id = ${workspaceId} and name = ${name}`
      return row
    },

    async create(workspaceId, { name, document, author }, audit) {
      const [row] = await db<AuthoredRow[]>`
        with made as (
          insert into console_documents (kind, workspace_id, name, document, author, authors)
          values (${kind}, ${workspaceId}, ${name}, ${document}, ${author}, array[${author}])
          on conflict (kind, workspace_id, name) do nothing returning *
        ), audited as (
          insert into audit_outbox (draft) select ${db.json(asJson(audit))} from made
        )
        select ${columns} from made`
      return row
    },

    async replace(workspaceId, { name, document, author, before }, audit) {
      const [row] = await db<AuthoredRow[]>`
        with changed as (
          update console_documents set document = ${document}, author = ${author},
            authors = array_append(array_remove(authors, ${author}), ${author}), updated_at = now()
          where kind = ${kind} and workspace_id = ${workspaceId} and name = ${name} and document = ${before} returning *
        ), audited as (
          insert into audit_outbox (draft) select ${db.json(asJson(audit))} from changed
        )
        select ${columns} from changed`
      return row
    },

    async remove(workspaceId, { name, before }, audit) {
      const rows = await db`
        with gone as (
          delete from console_documents
          where kind = ${kind} and workspace_id = ${workspaceId} and name = ${name} and document = ${before} returning name
        ), audited as (
          insert into audit_outbox (draft) select ${db.json(asJson(audit))} from gone
        )
        select name from gone`
      return rows.length > 0
    },
  }
}

/** Reads the console's documents of environments and profiles in one statement. */
export async function readConsoleSettings(db: Db): Promise<{ environments: AuthoredRow[]; profiles: AuthoredRow[] }> {
  const rows = await db<(AuthoredRow & { kind: DocumentKind })[]>`
    select kind, name, document, author, iso_time(updated_at) as updated_at from console_documents
    where workspace_id = ${EVERYWHERE} order by name collate "C"`
  return {
    environments: rows.filter(({ kind }) => kind === 'environment'),
    profiles: rows.filter(({ kind }) => kind === 'profile'),
  }
}

/** The name of the only document of model roles. */
export const ROLES_OF_MODELS = 'roles'

/** Returns the console's document of model roles, or undefined. */
export async function readConsoleRoles(db: Db): Promise<string | undefined> {
  const [row] = await db<{ document: string }[]>`
    select document from console_documents
    where kind = 'model_roles' and workspace_id = ${EVERYWHERE} and name = ${ROLES_OF_MODELS}`
  return row?.document
}
