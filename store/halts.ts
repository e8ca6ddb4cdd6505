import type { AuditDraft } from '#core/audit/types.ts'
import { coalesced } from '#core/coalesced.ts'
import { DomainError } from '#core/errors.ts'
import type { Halt, HaltScope } from '#core/halt/halt.ts'
import type { JsonObject } from '#core/json/json.ts'
import { asJson, type Db } from './db.ts'

export interface NewHalt {
  id: string
  scope: HaltScope
  reason: string
  by: JsonObject
}

/** A halt in force, with the runs that it holds and the starts that it has refused. */
export interface HaltInForce extends Halt {
  held: { runs: number }
  refused: { starts: number }
}

/** A halt that was lifted, with the starts that it has refused. */
export interface LiftedHalt extends Halt {
  lifted_at: string
  refused: { starts: number }
}

/** Halts. Those over every workspace belong to none, so they are read here by the machinery, and by the scope that they name. */
export function createHaltStore(db: Db) {
  const columns = db`
    h.id, h.reason, h.set_by as by, iso_time(h.created_at) as created_at,
    jsonb_strip_nulls(jsonb_build_object('workspace', h.workspace_id, 'environment', h.environment, 'template', h.template,
      'requester', h.requester)) as scope`
  const among = (workspaces: '*' | readonly string[], column: ReturnType<Db>) =>
    workspaces === '*' ? db`true` : db`${column} = any(${[...workspaces]}::text[])`
  const heldIn = (workspaces: '*' | readonly string[]) => db`
    from runs r where r.ended_at is null and ${among(workspaces, db`r.workspace_id`)} and is_halted_by(r, h)`
  /** a halt of all workspaces names its requester only where they are known */
  const onlyRequestersOf = (workspaces: '*' | readonly string[]) =>
    workspaces === '*'
      ? db`true`
      : db`(h.workspace_id is not null or h.requester is null or h.requester like 'skill:%'
          or exists (select from users u where u.id = h.requester
            and ('*' = any (u.workspaces) or u.workspaces && ${[...workspaces]}::text[]))
          or exists (select from schedules s where s.id = h.requester and ${among(workspaces, db`s.workspace_id`)})
          or exists (select ${heldIn(workspaces)}))`

  const inForce = coalesced(
    async (): Promise<Halt[]> =>
      db<Halt[]>`select ${columns} from halts h where h.lifted_at is null order by h.created_at, h.id`,
  )

  return {
    /** Every halt in force, the oldest first. An answer is never older than its question. */
    inForce,

    /**
     * Lists the halts that may stop a run in one of these workspaces, newest first, with the number of runs that each holds there, or in
     * those that are `counted`.
     */
    async list(
      workspaces: '*' | readonly string[],
      counted: '*' | readonly string[] = workspaces,
    ): Promise<HaltInForce[]> {
      return db`
        select ${columns}, jsonb_build_object('runs', (select count(*) ${heldIn(counted)})) as held,
          jsonb_build_object('starts', (select coalesce(sum(f.refused), 0) from halt_refusals f
            where f.halt_id = h.id and ${among(counted, db`f.workspace_id`)})) as refused
        from halts h
        where h.lifted_at is null and (h.workspace_id is null or ${among(workspaces, db`h.workspace_id`)})
          and ${onlyRequestersOf(counted)}
        order by h.created_at desc, h.id desc`
    },

    /** Lists the halts lifted lately that have refused starts in these workspaces, the last lifted first. */
    async lifted(
      workspaces: '*' | readonly string[],
      { days, limit }: { days: number; limit: number },
    ): Promise<LiftedHalt[]> {
      return db`
        select ${columns}, iso_time(h.lifted_at) as lifted_at, jsonb_build_object('starts', f.starts) as refused
        from halts h cross join lateral (select sum(f.refused)::float8 as starts from halt_refusals f
          where f.halt_id = h.id and ${among(workspaces, db`f.workspace_id`)}) f
        where h.lifted_at > now() - make_interval(days => ${days}) and f.starts > 0
        order by h.lifted_at desc, h.id desc limit ${limit}`
    },

    /** Undefined when it is not in force. */
    async find(id: string): Promise<Halt | undefined> {
      const [row] = await db<Halt[]>`select ${columns} from halts h where h.id = ${id} and h.lifted_at is null`
      return row
    },

    /** Returns the halts that hold this run. */
    async covering(runId: string): Promise<Halt[]> {
      return db<Halt[]>`
        select ${columns} from runs r join halts h on h.lifted_at is null and is_halted_by(r, h)
        where r.id = ${runId} order by h.created_at, h.id`
    },

    /** Returns, for each of these gates with a halted run, the reason of the oldest halt over it. */
    async reasonsOverGates(gateIds: string[]): Promise<Map<string, string>> {
      if (gateIds.length === 0) return new Map()
      const rows = await db<{ gate_id: string; reason: string }[]>`
        select distinct on (g.id) g.id as gate_id, h.reason
        from gates g join runs r on r.id = g.run_id join halts h on h.lifted_at is null and is_halted_by(r, h)
        where g.id = any(${gateIds}::text[]) order by g.id, h.created_at, h.id`
      return new Map(rows.map(({ gate_id, reason }) => [gate_id, reason]))
    },

    /** Returns the names in active runs, or in those of one workspace: these can be halted even if they are not loaded now. */
    async ofActiveRuns(workspaceId?: string): Promise<{ environments: string[]; templates: string[] }> {
      const [row] = await db<{ environments: string[]; templates: string[] }[]>`
        select coalesce(array_agg(distinct environment), '{}') as environments,
          coalesce(array_agg(distinct pack || '/' || template), '{}') as templates
        from runs where ended_at is null
          ${workspaceId === undefined ? db`` : db`and workspace_id = ${workspaceId}`}`
      return row ?? { environments: [], templates: [] }
    },

    /** Tells whether this id is a requester of an active run, or of one in a workspace. */
    async isActiveRequester(id: string, workspaceId?: string): Promise<boolean> {
      const rows = await db`
        select from runs where ended_at is null and ${id} = any (requesters_of(provenance))
          ${workspaceId === undefined ? db`` : db`and workspace_id = ${workspaceId}`} limit 1`
      return rows.length > 0
    },

    async set(halt: NewHalt, audit: AuditDraft): Promise<{ created_at: string; runs: number }> {
      const [row] = await db<{ made: { created_at: string; runs: number } }[]>`
        select set_halt(${db.json(asJson(halt))}, ${db.json(asJson(audit))}) as made`
      if (!row) throw new DomainError('internal', 'set_halt answered no row')
      return row.made
    },

    /** False when it was not in force. */
    async lift(id: string, by: JsonObject, audit: AuditDraft): Promise<boolean> {
      const [row] = await db<{ lifted: boolean }[]>`
        select lift_halt(${id}, ${db.json(asJson(by))}, ${db.json(asJson(audit))}) as lifted`
      return row?.lifted ?? false
    },

    /**
     * Releases runs that a halt, or the archiving of their workspace, has stopped and that nothing holds now, oldest first: they are
     * `halt_lifted` until they were woken, so that a new halt on one of them is distinguished from the lifted one.
     */
    async release(limit: number): Promise<string[]> {
      const rows = await db<{ id: string }[]>`
        update runs set status_reason = 'halt_lifted'
        where id in (
          select id from runs r where status_reason = 'halted' and ended_at is null and not is_held(r)
          order by id limit ${limit} for update)
        returning id`
      return rows.map(({ id }) => id).sort()
    },

    /** Returns all released runs that were not woken yet. */
    async unwoken(): Promise<string[]> {
      const rows = await db<{ id: string }[]>`
        select id from runs where status_reason = 'halt_lifted' and ended_at is null order by id`
      return rows.map(({ id }) => id)
    },

    /** Notes that these runs were woken; one that a new halt has stopped is not. */
    async markWoken(runIds: string[]): Promise<void> {
      await db`
        update runs set status_reason = null where id = any(${runIds}::text[]) and status_reason = 'halt_lifted'`
    },

    /** Another answer than before whenever a halt was lifted, or a workspace was taken out of the archive. */
    async lastLifted(): Promise<string> {
      const [row] = await db<{ at: string }[]>`
        select concat((select max(lifted_at) from halts), '/', (select sum(version) from workspaces)) as at`
      return row?.at ?? ''
    },
  }
}

export type HaltStore = ReturnType<typeof createHaltStore>
