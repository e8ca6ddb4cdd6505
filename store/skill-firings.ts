import type { AuditDraft } from '#core/audit/types.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { RefusedOutcome } from '#core/trigger/outcome.ts'
import { asJson, type Db } from './db.ts'
import { inBatches } from './sql/in-batches.ts'

/** Longer than any place in the log of the bus is kept. */
const KEPT_DAYS = 30

export interface FiringKey {
  skill: string
  workspace_id: string
  event_key: string
}

export type FiringOutcome = 'started' | RefusedOutcome | 'invalid' | 'suppressed'

export interface FiringClaim extends FiringKey {
  message_id: string
  topic: string
  /** the run to be, unless an earlier delivery has named another */
  run_id: string
}

export interface ClaimedFiring {
  run_id: string
  outcome: FiringOutcome | null
  /** true when the run exists, no matter what was noted of it */
  started: boolean
}

/** Remembers which skill fired on which event. */
export function createSkillFirings(db: Db) {
  return {
    /** Claims an event for a skill; a later claim returns the first one's result. */
    async claim(claim: FiringClaim): Promise<ClaimedFiring> {
      const [row] = await db<ClaimedFiring[]>`
        with claimed as (
          insert into skill_firings ${db({ ...claim })}
          on conflict (skill, workspace_id, event_key) do update set message_id = skill_firings.message_id
          returning run_id, outcome)
        select run_id, outcome, exists (select from runs where id = claimed.run_id) as started from claimed`
      if (row === undefined) throw new Error('the claim answered no row')
      return row
    },

    /** Settles it unless it is settled, with its audit records. */
    async settle(
      key: FiringKey,
      outcome: FiringOutcome,
      reason: string | null,
      audit: AuditDraft[] = [],
    ): Promise<void> {
      await db`
        with settled as (
          update skill_firings set outcome = ${outcome}, reason = ${reason}, settled_at = now()
          where skill = ${key.skill} and workspace_id = ${key.workspace_id} and event_key = ${key.event_key}
            and outcome is null
          returning skill
        )
        select append_audit(${db.json(asJson(audit))}::jsonb) from settled`
    },

    /** Returns the origin of a run; undefined when this workspace has no such run. */
    async provenanceOf(workspaceId: string, runId: string): Promise<JsonObject | undefined> {
      const [row] = await db<{ provenance: JsonObject }[]>`
        select provenance from runs where id = ${runId} and workspace_id = ${workspaceId}`
      return row?.provenance
    },

    /** Forgets what can no longer be delivered again; called by a sweep. */
    purge: (): Promise<number> =>
      inBatches(
        (limit) => db`
          delete from skill_firings where (skill, workspace_id, event_key) in (
            select skill, workspace_id, event_key from skill_firings
            where claimed_at < now() - ${KEPT_DAYS} * interval '1 day' order by claimed_at limit ${limit})`,
      ),
  }
}

export type SkillFirings = ReturnType<typeof createSkillFirings>
