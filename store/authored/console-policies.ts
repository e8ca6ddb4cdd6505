import type { Db } from '../db.ts'

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

    /** Those of these names, in all workspaces. */
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
