import type { FiringOutcome } from './skill-firings.ts'
import type { TenantDb } from './tenant-db.ts'

/** The last time that a skill was fired by an event. */
export interface LastFiring {
  skill: string
  at: string
  topic: string
  /** null while it is open */
  outcome: FiringOutcome | null
  reason: string | null
  run_id: string
}

/** Firings of skills in a workspace, for people. */
export function createSkillViews(tenants: TenantDb) {
  return {
    /** The newest firing of each of these skills. */
    lastFirings(workspaceId: string, skills: readonly string[]): Promise<LastFiring[]> {
      return tenants.in(
        workspaceId,
        (sql) => sql<LastFiring[]>`
          select distinct on (skill) skill, claimed_at as at, topic, outcome, reason, run_id from skill_firings
          where workspace_id = ${workspaceId} and skill = any(${[...skills]}::text[])
          order by skill, claimed_at desc`,
      )
    },
  }
}

export type SkillViews = ReturnType<typeof createSkillViews>
