import type { AuditDraft } from '#core/audit/types.ts'
import type { KnownItem } from '#core/config/types.ts'
import { asJson, type Db } from '../db.ts'
import type { OutboxEntry } from '../runs/run-answers.ts'
import type { ConsolePolicyRow } from './policy-documents.ts'

export interface ConsoleVersion {
  workspace_id: string
  name: string
  version: string
}

/** The last recorded state of everything that protects. */
export function createConfigItems(db: Db) {
  return {
    async known(): Promise<KnownItem[]> {
      const rows = await db<{ known: KnownItem }[]>`
        select jsonb_strip_nulls(jsonb_build_object('item', item, 'kind', kind, 'layer', layer, 'version', version, 'about', about,
          'body', body, 'pack', pack, 'workspace_id', nullif(workspace_id, '*')))
          || jsonb_build_object('state', state) as known
        from config_items`
      return rows.map(({ known }) => known)
    },

    /** Undefined when the record has changed meanwhile; nothing was written then. */
    async record(items: KnownItem[], drafts: AuditDraft[]): Promise<OutboxEntry[] | undefined> {
      const [row] = await db<{ places: OutboxEntry[] | null }[]>`
        select record_config(${db.json(asJson(items))}, ${db.json(asJson(drafts))}) as places`
      return row?.places ?? undefined
    },

    /** Returns the versions of the console's policies; a version changes with every write of its row. */
    async consoleVersions(): Promise<ConsoleVersion[]> {
      return db`select workspace_id, name, xmin::text as version from console_policies order by workspace_id, name`
    },

    async consolePolicies(which: ConsoleVersion[]): Promise<(ConsolePolicyRow & ConsoleVersion)[]> {
      return db`
        select workspace_id, name, xmin::text as version, document, author from console_policies
        where (workspace_id, name) in (select * from unnest(
          ${which.map((each) => each.workspace_id)}::text[], ${which.map((each) => each.name)}::text[]))`
    },
  }
}

export type ConfigItems = ReturnType<typeof createConfigItems>
