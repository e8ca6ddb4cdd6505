import { AUDIT_COLUMNS, auditRow } from '#core/audit/audit-row.ts'
import type { AuditPlace } from '#store/audit-views.ts'
import type { People } from '../auth/people.ts'
import { byActor } from './by-actor.ts'
import { type AuditContext, type AuditWish, readAudit } from './read-audit.ts'

const AT_ONCE = 500

/** All records that are asked for as rows of a table, newest first, in pieces: what is not taken is not read. */
export async function* exportAudit(
  ctx: AuditContext & { people: Pick<People, 'find'> },
  asked: AuditWish,
): AsyncGenerator<string[][], void> {
  const wish = await byActor(ctx, asked)
  yield [[...AUDIT_COLUMNS]]
  for (let after: AuditPlace | undefined; ; ) {
    const records = await readAudit(ctx, wish, { limit: AT_ONCE, after })
    if (records.length > 0) yield records.map(auditRow)
    const last = records.at(-1)
    if (last === undefined || records.length < AT_ONCE) return
    after = { ts: last.event.ts, seq: last.seq }
  }
}
