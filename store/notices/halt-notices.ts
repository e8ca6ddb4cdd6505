import type { Halt } from '#core/halt/halt.ts'
import type { HaltInput } from '#core/notify/contract.ts'
import type { Db } from '../db.ts'

/** A halt, in force or lifted, with the facts of its notices. */
export interface HaltView extends Halt {
  /** who lifted it, and when */
  lifted: { by: Halt['by']; at: string } | null
  /** number of messages about it that were handed to the engine */
  notices: number
  /** another one is due now */
  is_due: boolean
  /** workspaces that it may stop something in: its own, or all that are not archived and know the requester that it names */
  workspaces: { id: string; slug: string; name: string }[]
}

/** A message that is due; `due_at` is exact to the microsecond. */
export interface DueHaltNotice extends HaltInput {
  due_at: string
}

const AGAIN_S = 5

/** When messages about halts are due, on the row of each; and the facts in them. */
export function createHaltNotices(db: Db) {
  // a halt of all workspaces says nothing of a person to those who do not know them
  const knowsRequester = db`
    (h.requester is null or h.requester like 'skill:%'
      or exists (select from users u where u.id = h.requester and ('*' = any (u.workspaces) or w.id = any (u.workspaces)))
      or exists (select from schedules s where s.id = h.requester and s.workspace_id = w.id)
      or exists (select from runs r where r.workspace_id = w.id and r.ended_at is null and h.requester = any (requesters_of(r.provenance)))
      or exists (select from halt_refusals f where f.halt_id = h.id and f.workspace_id = w.id))`

  return {
    /** Returns the due messages, the longest due first. */
    async takeDue(limit: number): Promise<DueHaltNotice[]> {
      return db<DueHaltNotice[]>`
        select id as halt_id, notices as notice, notice_due_at::text as due_at from halts
        where notice_due_at <= now() order by notice_due_at, id limit ${limit}`
    },

    /** Records that a message was handed to the engine. A lift, and refusals since it came due, make another one due. */
    async markHanded({ halt_id, notice, due_at }: DueHaltNotice): Promise<void> {
      await db`select mark_halt_notice_handed(${halt_id}, ${notice}, ${due_at}::timestamptz)`
    },

    /** Tries again in some seconds. */
    async postpone(haltIds: string[]): Promise<void> {
      if (haltIds.length === 0) return
      await db`
        update halts set notice_due_at = now() + ${AGAIN_S} * interval '1 second' where id in ${db(haltIds)}`
    },

    /** Undefined for an unknown halt. */
    async find(haltId: string): Promise<HaltView | undefined> {
      const [row] = await db<HaltView[]>`
        select h.id, h.reason, h.set_by as by, iso_time(h.created_at) as created_at,
          jsonb_strip_nulls(jsonb_build_object('workspace', h.workspace_id, 'environment', h.environment, 'template', h.template,
            'requester', h.requester)) as scope,
          case when h.lifted_at is not null then jsonb_build_object('by', h.lifted_by, 'at', iso_time(h.lifted_at)) end as lifted,
          h.notices, coalesce(h.notice_due_at <= now(), false) as is_due,
          (select coalesce(jsonb_agg(jsonb_build_object('id', w.id, 'slug', w.slug, 'name', w.name) order by w.id), '[]')
           from workspaces w where w.id = h.workspace_id or (h.workspace_id is null and w.status = 'active' and ${knowsRequester})) as workspaces
        from halts h where h.id = ${haltId}`
      return row
    },
  }
}

export type HaltNotices = ReturnType<typeof createHaltNotices>
