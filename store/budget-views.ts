import type { TenantDb } from './tenant-db.ts'

/** Reads of what a day has cost so far. */
export function createBudgetViews(tenants: TenantDb) {
  return {
    /** Micro-dollars that are spent or reserved in an environment, or with `*` in all of a workspace, on a UTC day. */
    async taken(workspaceId: string, environment: string, day: string): Promise<number> {
      const [row] = await tenants.in(
        workspaceId,
        (db) => db<{ taken: number }[]>`
          select spent_micro_usd + reserved_micro_usd as taken from environment_budgets
          where workspace_id = ${workspaceId} and environment = ${environment} and day = ${day}::date`,
      )
      return row?.taken ?? 0
    },
  }
}

export type BudgetViews = ReturnType<typeof createBudgetViews>
