import type { Contributor } from '#core/gate/contributors.ts'
import type { StartRequest } from '#core/halt/refused-schema.ts'
import type { TriggerType } from '#core/run/search.ts'
import { asJson, type Db } from './db.ts'

/** A start that a halt has refused. */
export interface NewHaltRefusal {
  id: string
  halt_id: string
  workspace_id: string
  /** the same for refusals that are counted together */
  key: string
  trigger_type: TriggerType
  pack: string
  template: string
  environment: string
  title: string
  requested_by: string
  request: StartRequest | null
  delivery_id: string | null
  fingerprint: string | null
  /** how often it was refused */
  refused: number
  /** everyone who shaped it */
  contributors: Contributor[]
}

export interface HaltRefusalRow extends Omit<NewHaltRefusal, 'key' | 'fingerprint' | 'contributors'> {
  first_at: string
  last_at: string
  /** its delivery is still in the inbox */
  is_kept: boolean
  /** the run that has been started for it since, where that can be known */
  run_id: string | null
  /** place in the list, exact to the microsecond */
  position: string
}

/** What the start of a refused one has to know. */
interface RefusalToStart extends Pick<NewHaltRefusal, 'halt_id' | 'pack' | 'template' | 'contributors'> {
  reason: string
  /** its requester is halted still, in whose place somebody else would start it */
  is_held: boolean
}

/** The refused starts of a halt in some workspaces, in short. */
export interface RefusalSummary {
  starts: number
  /** title of the first one */
  first: string | null
}

type Among = '*' | readonly string[]

/** The starts that halts have refused, of halts in force and of lifted ones. */
export function createHaltRefusals(db: Db) {
  const of = (haltId: string, workspaces: Among) => db`
    f.halt_id = ${haltId} and ${workspaces === '*' ? db`true` : db`f.workspace_id = any(${[...workspaces]}::text[])`}`

  return {
    /** Records refused starts; those with the same key are one row with a count. */
    async record(refusals: readonly NewHaltRefusal[]): Promise<void> {
      await db`select record_halt_refusals(${db.json(asJson(refusals))})`
    },

    /** Newest first, after a place in the list. */
    async list(
      haltId: string,
      workspaces: Among,
      { limit, after }: { limit: number; after?: { position: string; id: string } | undefined },
    ): Promise<HaltRefusalRow[]> {
      return db<HaltRefusalRow[]>`
        select f.id, f.halt_id, f.workspace_id, f.trigger_type, f.pack, f.template, f.environment, f.title, f.requested_by, f.request,
          f.delivery_id, f.refused::float8 as refused, iso_time(f.first_at) as first_at, iso_time(f.last_at) as last_at,
          i.id is not null as is_kept, coalesce(
            (select r.id from runs r where r.workspace_id = f.workspace_id
               and r.id = 'run_' || substr(coalesce(f.request #>> '{body,refusal}', f.id), 5)),
            case when f.fingerprint is null then i.run_id else (
              select r.id from runs r where r.workspace_id = f.workspace_id and r.fingerprint = f.fingerprint and r.created_at > f.first_at
              order by r.created_at desc limit 1) end) as run_id,
          f.first_at::text as position
        from halt_refusals f left join inbox_items i on i.id = f.delivery_id and i.workspace_id = f.workspace_id
        where ${of(haltId, workspaces)}
          ${after === undefined ? db`` : db`and (f.first_at, f.id) < (${after.position}::timestamptz, ${after.id})`}
        order by f.first_at desc, f.id desc limit ${limit}`
    },

    /** Undefined for an unknown one, and for one of another workspace. */
    async find(workspaceId: string, id: string): Promise<RefusalToStart | undefined> {
      const [row] = await db<RefusalToStart[]>`
        select f.pack, f.template, f.contributors, h.id as halt_id, h.reason,
          h.lifted_at is null and h.requester is not null as is_held
        from halt_refusals f join halts h on h.id = f.halt_id where f.id = ${id} and f.workspace_id = ${workspaceId}`
      return row
    },

    async count(haltId: string, workspaces: Among, up_to: number): Promise<number> {
      const [row] = await db<{ count: number }[]>`
        select count(*) as count from (select from halt_refusals f where ${of(haltId, workspaces)} limit ${up_to}) counted`
      return row?.count ?? 0
    },

    async summary(haltId: string, workspaces: Among): Promise<RefusalSummary> {
      const [row] = await db<RefusalSummary[]>`
        select coalesce(sum(f.refused), 0)::float8 as starts,
          (select f.title from halt_refusals f where ${of(haltId, workspaces)} order by f.first_at, f.id limit 1) as first
        from halt_refusals f where ${of(haltId, workspaces)}`
      return row ?? { starts: 0, first: null }
    },

    /** Returns the workspace that a halt covers, in force or lifted: null for all of them, undefined for an unknown halt. */
    async workspaceOf(haltId: string): Promise<string | null | undefined> {
      const [row] = await db<{ workspace_id: string | null }[]>`select workspace_id from halts where id = ${haltId}`
      return row?.workspace_id
    },
  }
}

export type HaltRefusals = ReturnType<typeof createHaltRefusals>
