import { AUDIT_COLUMNS, auditRow } from '#core/audit/audit-row.ts'
import { GENESIS } from '#core/audit/chain.ts'
import type { AuditCheckpoint } from '#core/audit/record-schema.ts'
import type { AuditRecord } from '#core/audit/types.ts'
import { DomainError } from '#core/errors.ts'
import { visibleLine } from '#core/text/visible-text.ts'
import type { AuditPlace, AuditViews } from '#store/audit/audit-views.ts'
import type { People } from '../auth/known-people.ts'
import type { ListPage, PageRequest } from '../list-page.ts'
import { type NamedPerson, withPeople } from './named-people.ts'
import { type ActorContext, type AuditContext, type AuditQuestion, byActor, filterOf, readAudit } from './read-audit.ts'

const AT_ONCE = 500

/** Streams the requested records as rows of a table, newest first: rows that are not consumed are not read. */
export async function* exportAudit(
  ctx: AuditContext & ActorContext & { people: Pick<People, 'many'> },
  asked: AuditQuestion,
): AsyncGenerator<string[][], void> {
  const query = await byActor(ctx, asked)
  yield [[...AUDIT_COLUMNS]]
  for (let after: AuditPlace | undefined; ; ) {
    const records = await readAudit(ctx, query, { limit: AT_ONCE, after })
    if (records.length > 0) yield (await withPeople(ctx, await withAbout(ctx, records))).map(auditRow)
    const last = records.at(-1)
    if (last === undefined || records.length < AT_ONCE) return
    after = { ts: last.event.ts, seq: last.seq }
  }
}

/** Counting costs time per row. */
const MAX_COUNTED = 1_000

/** A page of the records of a workspace, newest first. Throws `invalid_cursor`. */
export async function listAudit(
  ctx: AuditContext & ActorContext & { people: Pick<People, 'many'> },
  { limit, cursor, ...asked }: PageRequest & AuditQuestion,
): Promise<ListPage<AuditRecord & { about?: string; people: NamedPerson[] }>> {
  const after = cursor === undefined ? undefined : parseAuditCursor(cursor)
  const query = await byActor(ctx, asked)
  const [rows, count] = await Promise.all([
    readAudit(ctx, query, { limit: limit + 1, after }),
    ctx.audits.count(filterOf(ctx.workspace_id, query), MAX_COUNTED + 1),
  ])
  const items = await withPeople(ctx, await withAbout(ctx, rows.slice(0, limit)))
  const last = items.at(-1)
  const total = { count: Math.min(count, MAX_COUNTED), capped: count > MAX_COUNTED }
  if (rows.length <= limit || last === undefined) return { items, total }
  return { items, total, next_cursor: Buffer.from(`${last.event.ts}|${last.seq}`).toString('base64url') }
}

/** Says what the run of each record is about. It is no part of what was hashed. */
async function withAbout(
  { audits, workspace_id }: AuditContext,
  records: readonly AuditRecord[],
): Promise<(AuditRecord & { about?: string })[]> {
  const ids = [...new Set(records.flatMap(({ event }) => event.run_id ?? []))]
  const known = ids.length === 0 ? new Map<string, string>() : await audits.about(workspace_id, ids)
  return records.map((record) => {
    const about = known.get(record.event.run_id ?? '')
    return about === undefined ? record : { ...record, about: visibleLine(about) }
  })
}

function parseAuditCursor(cursor: string): AuditPlace {
  const [ts = '', seq = '', ...more] = Buffer.from(cursor, 'base64url').toString().split('|')
  const sound = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(ts) && /^\d{1,15}$/.test(seq) && more.length === 0
  if (!sound) throw new DomainError('invalid_cursor', 'This cursor does not come from this list.')
  return { ts, seq: Number(seq) }
}

/** Returns the end of the chain, and the last result of the running check. */
export async function getAuditCheckpoint({
  audits,
}: {
  audits: Pick<AuditViews, 'head' | 'check'>
}): Promise<AuditCheckpoint> {
  const [head, check] = await Promise.all([audits.head(), audits.check()])
  const { passed_seq = null, passed_at = null, problem = null, problem_seq = null } = check ?? {}
  return {
    ...(head ?? GENESIS),
    ...(passed_seq !== null && passed_at !== null && { checked: { seq: passed_seq, at: passed_at } }),
    ...(problem !== null && problem_seq !== null && { problem: { seq: problem_seq, detail: problem } }),
  }
}
