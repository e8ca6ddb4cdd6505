import type { AuditRecord } from '#core/audit/types.ts'
import { DomainError } from '#core/errors.ts'
import type { AuditPlace } from '#store/audit-views.ts'
import type { People } from '../auth/people.ts'
import type { ListPage, PageRequest } from '../list-page.ts'
import { byActor } from './by-actor.ts'
import { type AuditContext, type AuditWish, filterOf, readAudit } from './read-audit.ts'

/** Counting costs what it counts. */
const MOST_COUNTED = 1_000

/** A page of the records of a workspace, newest first. Throws `invalid_cursor`. */
export async function listAudit(
  ctx: AuditContext & { people: Pick<People, 'find'> },
  { limit, cursor, ...asked }: PageRequest & AuditWish,
): Promise<ListPage<AuditRecord>> {
  const after = cursor === undefined ? undefined : parseAuditCursor(cursor)
  const wish = await byActor(ctx, asked)
  const [rows, count] = await Promise.all([
    readAudit(ctx, wish, { limit: limit + 1, after }),
    ctx.audits.count(filterOf(ctx.workspace_id, wish), MOST_COUNTED + 1),
  ])
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  const total = { count: Math.min(count, MOST_COUNTED), capped: count > MOST_COUNTED }
  if (rows.length <= limit || last === undefined) return { items, total }
  return { items, total, next_cursor: Buffer.from(`${last.event.ts}|${last.seq}`).toString('base64url') }
}

function parseAuditCursor(cursor: string): AuditPlace {
  const [ts = '', seq = '', ...more] = Buffer.from(cursor, 'base64url').toString().split('|')
  const sound = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(ts) && /^\d{1,15}$/.test(seq) && more.length === 0
  if (!sound) throw new DomainError('invalid_cursor', 'The cursor is not one that this list has given out.')
  return { ts, seq: Number(seq) }
}
