import type { Decision } from '#core/gate/types.ts'
import type { Db } from '../db.ts'

export interface MagicLink {
  jti: string
  gate_id: string
  workspace_id: string
  recipient: string
  expires_at: string
  views: number
  wrong_codes: number
  used_at: string | null
  used_decision: Decision | null
  /** true when a recorded notice contains it */
  is_sent: boolean
}

/** A process that took a link and has decided nothing with it after this time has died. */
const ABANDONED_S = 30

/** Links that were sent out: one per gate and recipient, each good for one decision. */
export function createMagicLinks(db: Db) {
  const isAbandoned = db`
    (l.used_at < now() - ${ABANDONED_S} * interval '1 second' and not exists (
      select from gate_decisions d where d.gate_id = l.gate_id and d.channel = 'magic_link' and d.decided_at >= l.used_at))`

  return {
    /** Issues the link of a recorded notice, or returns the one that its recipient got before. Undefined without such a notice. */
    async issue(link: Pick<MagicLink, 'jti' | 'expires_at'> & { notice_id: number }): Promise<string | undefined> {
      const { jti, expires_at, notice_id } = link
      const [row] = await db<{ link: string }[]>`
        with issued as (
          insert into magic_links as l (jti, gate_id, workspace_id, recipient, expires_at)
          select ${jti}, gate_id, workspace_id, recipient, ${expires_at}::timestamptz from notice_deliveries where id = ${notice_id}
          on conflict (gate_id, recipient) do update set expires_at = l.expires_at
          returning jti)
        update notice_deliveries set link = issued.jti from issued where id = ${notice_id} returning link`
      return row?.link
    },

    /** undefined for a link that was never issued */
    async find(jti: string): Promise<MagicLink | undefined> {
      const [row] = await db<MagicLink[]>`
        select jti, gate_id, workspace_id, recipient, expires_at, views, wrong_codes,
          case when not ${isAbandoned} then used_at end as used_at, case when not ${isAbandoned} then used_decision end as used_decision,
          exists (select from notice_deliveries n
            where n.link = l.jti and n.gate_id = l.gate_id and n.recipient = l.recipient) as is_sent
        from magic_links l where jti = ${jti}`
      return row
    },

    async countView(jti: string): Promise<void> {
      await db`update magic_links set views = views + 1 where jti = ${jti}`
    },

    /** Takes one of the tries at the code, before it is compared, and returns the remaining ones; undefined when there was none. */
    async takeTry(jti: string, tries: number): Promise<number | undefined> {
      const [taken] = await db<{ wrong_codes: number }[]>`
        update magic_links set wrong_codes = wrong_codes + 1 where jti = ${jti} and wrong_codes < ${tries} returning wrong_codes`
      return taken && tries - taken.wrong_codes
    },

    /** The code was right: its try is given back. */
    async returnTry(jti: string): Promise<void> {
      await db`update magic_links set wrong_codes = wrong_codes - 1 where jti = ${jti} and wrong_codes > 0`
    },

    /** Uses the link up and answers with the claim; undefined when it was used before. */
    async claim(jti: string, decision: Decision): Promise<string | undefined> {
      const [claimed] = await db<{ claim: string }[]>`
        update magic_links l set used_at = now(), used_decision = ${decision}
        where jti = ${jti} and (used_at is null or ${isAbandoned})
        returning used_at::text as claim`
      return claimed?.claim
    },

    /** Releases a link that decided nothing, unless it was claimed since. */
    async release(jti: string, claim: string): Promise<void> {
      await db`
        update magic_links set used_at = null, used_decision = null where jti = ${jti} and used_at = ${claim}::timestamptz`
    },
  }
}

export type MagicLinks = ReturnType<typeof createMagicLinks>
