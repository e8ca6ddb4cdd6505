import type { NoticeKind } from '#core/action-contract.ts'
import type { JsonObject } from '#core/json.ts'
import { asJson } from './as-json.ts'
import type { Db } from './db.ts'

export interface NoticeDelivery {
  gate_id: string
  workspace_id: string
  kind: NoticeKind
  channel: string
  recipient: string
}

/** What became of each notice to each recipient. */
export function createNoticeDeliveries(db: Db) {
  return {
    /** Whether this very notice has arrived before. */
    async delivered({ gate_id, kind, channel, recipient }: NoticeDelivery): Promise<boolean> {
      const rows = await db`
        select from notice_deliveries
        where gate_id = ${gate_id} and kind = ${kind} and channel = ${channel} and recipient = ${recipient}
          and status = 'delivered'`
      return rows.length > 0
    },

    /** Everybody who was told about a gate and has not been told that it is over. */
    async told(gateId: string): Promise<{ channel: string; recipient: string }[]> {
      return db`
        select distinct channel, recipient from notice_deliveries
        where gate_id = ${gateId} and kind <> 'resolved' and status = 'delivered' order by channel, recipient`
    },

    /** The message that a later one joins or replaces: the first that this recipient got about the gate. */
    async reference({ gate_id, channel, recipient }: NoticeDelivery): Promise<JsonObject | undefined> {
      const [row] = await db<{ reference: JsonObject }[]>`
        select reference from notice_deliveries
        where gate_id = ${gate_id} and channel = ${channel} and recipient = ${recipient} and reference is not null
          and kind <> 'resolved' and status = 'delivered'
        order by delivered_at limit 1`
      return row?.reference
    },

    /** Notes one attempt. What has arrived stays on record as delivered. */
    async record(
      delivery: NoticeDelivery,
      outcome: { ok: true; reference?: JsonObject } | { ok: false; detail: string },
    ): Promise<void> {
      const { gate_id, workspace_id, kind, channel, recipient } = delivery
      const status = outcome.ok ? 'delivered' : 'failed'
      const detail = outcome.ok ? null : outcome.detail.slice(0, 1_000)
      const reference = outcome.ok && outcome.reference !== undefined ? db.json(asJson(outcome.reference)) : null
      await db`
        insert into notice_deliveries as d (gate_id, workspace_id, kind, channel, recipient, status, detail, reference, delivered_at)
        values (${gate_id}, ${workspace_id}, ${kind}, ${channel}, ${recipient}, ${status}, ${detail}, ${reference},
          ${outcome.ok ? db`now()` : null})
        on conflict (gate_id, kind, channel, recipient) do update set status = excluded.status, detail = excluded.detail,
          reference = excluded.reference, delivered_at = excluded.delivered_at, attempts = d.attempts + 1, updated_at = now()
        where d.status <> 'delivered'`
    },
  }
}

export type NoticeDeliveries = ReturnType<typeof createNoticeDeliveries>
