import { DomainError } from '#core/errors.ts'
import { canonicalText } from '#core/json/canonical.ts'
import { createLru } from '#core/lru.ts'
import type { Plan } from '#core/plan/types.ts'
import type { Db } from './db.ts'
import type { TenantDb } from './tenant-db.ts'

/** Plans that a process remembers; a deployment has some dozens. */
const REMEMBERED = 200

/** Compiled templates by content. Loading checks the digest again. */
export function createPlanStore(db: Db, sha256: (text: string) => string) {
  const known = createLru<string, Plan>(REMEMBERED)
  return {
    /** Throws `internal` for an unknown plan, or one that does not match its digest. */
    async load(digest: string): Promise<Plan> {
      const remembered = known.get(digest)
      if (remembered !== undefined) return remembered
      const [row] = await db<{ plan: Plan }[]>`select plan from plans where digest = ${digest}`
      if (row === undefined) throw new DomainError('internal', `there is no plan ${digest}`)
      const { digest: named, ...content } = row.plan
      if (named !== digest || `sha256:${sha256(canonicalText(content))}` !== digest)
        throw new DomainError('internal', `the plan ${digest} is not what its digest says`)
      known.set(digest, row.plan)
      return row.plan
    },
  }
}

export type PlanStore = ReturnType<typeof createPlanStore>

/** The runs of one plan in one place. */
export interface PlanUse {
  pack: string
  template: string
  environment: string
  profile: string
  plan: Plan
  runs: number
  newest_run_id: string
}

/** Counts the plans of a workspace's newest runs. */
export function createPlanUsage(tenants: TenantDb) {
  return {
    /** Of the newest `most_runs` since then; the plans with the most runs first. */
    async since(workspaceId: string, since: string, most: { runs: number; plans: number }): Promise<PlanUse[]> {
      return tenants.in(
        workspaceId,
        (db) => db<PlanUse[]>`
        with recent as (
          select id, plan_digest, pack, template, environment, profile from runs
          where workspace_id = ${workspaceId} and created_at >= ${since}
          order by created_at desc, id desc limit ${most.runs}
        ), used as (
          select plan_digest, pack, template, environment, profile, count(*)::int as runs, max(id) as newest_run_id
          from recent group by plan_digest, pack, template, environment, profile
          order by count(*) desc, max(id) desc limit ${most.plans}
        )
        select used.pack, used.template, used.environment, used.profile, used.runs, used.newest_run_id, plans.plan
        from used join plans on plans.digest = used.plan_digest
        order by used.runs desc, used.newest_run_id desc`,
      )
    },
  }
}

export type PlanUsage = ReturnType<typeof createPlanUsage>
