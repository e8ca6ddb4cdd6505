import { LANES } from '#core/contract.ts'
import type { RunCriteria } from '#core/run/search.ts'
import { RUN_STATUSES } from '#core/run/status.ts'
import type { Db } from '../db.ts'
import type { AnsweredGate } from '../gates/gate-decisions.ts'
import { answeredGate, contributorsIn } from '../gates/vote-columns.ts'
import type { TenantDb } from '../tenant-db.ts'
import { hasPart, requesterText } from '../text-search.ts'
import type { RunFilter } from './run-views.ts'

export type RunSearch = RunFilter & RunCriteria

interface Place {
  position: string
  id: string
}

/** The matches among the searched runs; `resume` where there are more to search. */
export interface Found {
  ids: string[]
  resume?: Place
}

/** A run that waits for an answer, with the facts that decide whose. */
export interface WaitingRun extends Place, AnsweredGate {}

/**
 * Runs that a search reads at once, the newest by one index; it continues from there, so that no query takes longer, however rare the
 * match.
 */
export const SEARCHED_AT_ONCE = 1_000

/** Finds runs by what people ask for, newest first. */
export function createRunSearch(tenants: TenantDb) {
  return {
    async find(search: RunSearch, { limit, after }: { limit: number; after?: Place | undefined }): Promise<Found> {
      const [row] = await tenants.in(
        search.workspace_id,
        (db) => db<{ ids: string[]; seen: number; last_at: string | null; last_id: string | null }[]>`
        with seen as materialized (${searched(db, search, after)})
        select array(select id from seen where fits order by created_at desc, id desc limit ${limit}) as ids,
          (select count(*)::int from seen) as seen,
          (select created_at::text from seen order by created_at, id limit 1) as last_at,
          (select id from seen order by created_at, id limit 1) as last_id`,
      )
      if (row === undefined) return { ids: [] }
      const { ids, seen, last_at, last_id } = row
      const resume = seen === SEARCHED_AT_ONCE && last_at !== null && last_id !== null
      return { ids, ...(resume && { resume: { position: last_at, id: last_id } }) }
    },

    /** Returns those of these runs that wait for an answer, newest first. */
    async waiting(workspaceId: string, ids: string[]): Promise<WaitingRun[]> {
      return tenants.in(
        workspaceId,
        (db) => db<WaitingRun[]>`
        select r.id, r.id as run_id, r.created_at::text as position,
          ${contributorsIn(db)},
          ${answeredGate(db)}
        from runs r join gates g on g.run_id = r.id and g.status = 'open'
        where r.id = any(${ids}::text[]) and r.workspace_id = ${workspaceId}
        order by r.created_at desc, r.id desc`,
      )
    },
  }
}

/** Returns the newest runs by the best index, and whether each matches. */
function searched(db: Db, search: RunSearch, after: Place | undefined) {
  const { workspace_id, pipeline, pack, environment, trigger, since, until, lane, statuses, q } = search
  const range = db`
    ${since === undefined ? db`` : db`and r.created_at >= ${since}::timestamptz`}
    ${until === undefined ? db`` : db`and r.created_at < ${until}::timestamptz`}
    ${after === undefined ? db`` : db`and (r.created_at, r.id) < (${after.position}::timestamptz, ${after.id})`}`
  const newest = (by: ReturnType<Db>) => db`
    select r.id, r.created_at, ${fits(db, search)} as fits from runs r
    where r.workspace_id = ${workspace_id} ${by} ${range}
    order by r.created_at desc, r.id desc limit ${SEARCHED_AT_ONCE}`
  if (isGateId(q)) return newest(db`and r.id = (select g.run_id from gates g where g.id = ${q})`)
  if (pipeline !== undefined) return newest(db`and r.pipeline_id = ${pipeline}`)
  if (pack !== undefined) return newest(db`and r.pack = ${pack}`)
  if (environment !== undefined) return newest(db`and r.environment = ${environment}`)
  if (trigger !== undefined) return newest(db`and r.trigger_type = ${trigger}`)
  if (lane === undefined && statuses === undefined) return newest(db``)
  // each lane with each status is a stretch of one index, however rare it is
  return db`
    select each.* from unnest(${lane === undefined ? [...LANES] : [lane]}::text[]) as l(lane)
      cross join unnest(${[...new Set(statuses ?? RUN_STATUSES)]}::text[]) as s(status)
      cross join lateral (${newest(db`and r.lane = l.lane and r.status = s.status`)}) each
    order by each.created_at desc, each.id desc limit ${SEARCHED_AT_ONCE}`
}

/** The id of a gate means its run, which is found at once however old it is. */
const isGateId = (q: string | undefined): q is string => q !== undefined && /^gate_[0-9a-z]{26}$/.test(q)

function fits(db: Db, search: RunSearch) {
  const { lane, statuses, pack, template, environment, trigger, label, q } = search
  const equal = (column: ReturnType<Db>, value: string | undefined) =>
    value === undefined ? db`` : db`and ${column} = ${value}`
  return db`(true
    ${equal(db`r.lane`, lane)} ${equal(db`r.pack`, pack)} ${equal(db`r.template`, template)}
    ${equal(db`r.environment`, environment)} ${equal(db`r.trigger_type`, trigger)}
    ${statuses === undefined ? db`` : db`and r.status = any(${statuses}::text[])`}
    ${label === undefined ? db`` : label.value === undefined ? db`and r.labels ? ${label.name}` : db`and r.labels ->> ${label.name} = ${label.value}`}
    ${q === undefined || isGateId(q) ? db`` : db`and ${hasPart(db, db`concat_ws(' ', r.id, r.pack || '/' || r.template, r.reason, r.fingerprint, r.environment, ${requesterText(db)})`, q)}`})`
}

export type RunSearches = ReturnType<typeof createRunSearch>
