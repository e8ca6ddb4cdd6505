import type { GateStatus } from '#core/gate/types.ts'
import type { DigestInput } from '#core/notify/contract.ts'
import type { Risk } from '#core/policy/types.ts'
import type { TerminalStatus } from '#core/run/status.ts'
import type { AlertRecord } from '#core/trigger/alert-record.ts'
import type { Db } from '../db.ts'

/** A digest with what it tells now. */
export interface DigestView {
  id: string
  workspace_id: string
  channel: string
  recipient: string
  created_at: string
  /** number of messages of it that were handed to the engine */
  notices: number
  /** another one is due now */
  is_due: boolean
  /** its open gates: those of critical alerts first, then by risk and age */
  first: WaitingGate[]
  waiting: { gates: number; risk: Risk | null; expires_at: string | null; escalated: number }
  /** what all open gates have in common, for the search in the queue */
  shared: { environment: string | null; template: string | null }
  /** its gates that are over */
  answered: Partial<Record<GateStatus, number>>
  /** runs whose end was folded */
  ended: Partial<Record<TerminalStatus, number>>
  /** what failed last */
  failed: string[]
}

interface WaitingGate {
  title: string
  alert: AlertRecord | null
  environment: string
  risk: Risk
  expires_at: string
}

/** A message that is due; `due_at` is exact to the microsecond. */
export interface DueDigestNotice extends DigestInput {
  due_at: string
}

const AGAIN_S = 5
const NAMED = 5

/** When messages of digests are due, on the row of each; and the facts in them. */
export function createNoticeDigests(db: Db) {
  return {
    /** Returns the due messages, the longest due first. */
    async takeDue(limit: number): Promise<DueDigestNotice[]> {
      return db<DueDigestNotice[]>`
        select id as digest_id, notices as notice, notice_due_at::text as due_at from notice_digests
        where notice_due_at <= now() order by notice_due_at, id limit ${limit}`
    },

    /** Records that a message was handed to the engine. What changes after it came due makes another one due. */
    async markHanded({ digest_id, notice, due_at }: DueDigestNotice): Promise<void> {
      await db`select mark_digest_notice_handed(${digest_id}, ${notice}, ${due_at}::timestamptz)`
    },

    /** Tries again in some seconds. */
    async postpone(digestIds: string[]): Promise<void> {
      if (digestIds.length === 0) return
      await db`
        update notice_digests set notice_due_at = now() + ${AGAIN_S} * interval '1 second' where id in ${db(digestIds)}`
    },

    /** Undefined for an unknown digest. */
    async find(digestId: string): Promise<DigestView | undefined> {
      const [row] = await db<DigestView[]>`
        with folded as (
          select g.id, g.status, g.opened_at, g.expires_at, r.environment, r.pack || '/' || r.template as template,
            coalesce(g.view #>> '{operation,risk}', r.risk) as risk, r.id as run_id, r.plan_digest, n.is_escalated
          from (select gate_id, bool_or(kind = 'escalated') as is_escalated from notice_deliveries
              where digest_id = ${digestId} and status = 'folded' and gate_id is not null group by gate_id) n
            join gates g on g.id = n.gate_id join runs r on r.id = g.run_id),
        waiting as (
          select f.*, (select alert from run_trigger_alerts where run_id = f.run_id) as alert,
            array_position(array['high', 'medium', 'low'], f.risk) as rank
          from folded f where status = 'open'),
        ends as (
          select r.status, r.ended_at, coalesce((select alert ->> 'title' from run_trigger_alerts where run_id = r.id),
            (select plan ->> 'title' from plans where digest = r.plan_digest)) as title
          from notice_deliveries n join runs r on r.id = n.run_id where n.digest_id = ${digestId} and n.status = 'folded')
        select d.id, d.workspace_id, d.channel, d.recipient, iso_time(d.created_at) as created_at, d.notices,
          coalesce(d.notice_due_at <= now(), false) as is_due,
          (select coalesce(jsonb_agg(jsonb_build_object('title', p.plan ->> 'title', 'alert', w.alert, 'environment', w.environment,
             'risk', w.risk, 'expires_at', iso_time(w.expires_at)) order by w.place), '[]')
           from (select *, row_number() over (order by (alert ->> 'severity' = 'critical') is true desc, rank, opened_at, id) as place
                 from waiting) w join plans p on p.digest = w.plan_digest where w.place <= ${NAMED}) as first,
          (select jsonb_build_object('gates', count(*), 'risk', (array['high', 'medium', 'low'])[min(rank)],
             'expires_at', iso_time(min(expires_at)), 'escalated', count(*) filter (where is_escalated)) from waiting) as waiting,
          (select jsonb_build_object('environment', case when min(environment) = max(environment) then min(environment) end,
             'template', case when min(template) = max(template) then min(template) end) from waiting) as shared,
          (select coalesce(jsonb_object_agg(status, count), '{}') from (
             select status, count(*) from folded where status <> 'open' group by status) s) as answered,
          (select coalesce(jsonb_object_agg(status, count), '{}') from (select status, count(*) from ends group by status) s) as ended,
          (select coalesce(jsonb_agg(title order by ended_at desc), '[]') from (
             select title, ended_at from ends where status = 'failed' order by ended_at desc limit ${NAMED}) e) as failed
        from notice_digests d where d.id = ${digestId}`
      return row
    },
  }
}

export type NoticeDigests = ReturnType<typeof createNoticeDigests>
