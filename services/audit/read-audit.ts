import type { Actor } from '#core/actor.ts'
import { GENESIS } from '#core/audit/chain.ts'
import type { AuditDraft, AuditRecord } from '#core/audit/types.ts'
import { wellFormed } from '#core/json/canonical.ts'
import { isoTime } from '#core/time/time.ts'
import type { AuditFilter, AuditPlace, AuditRow, AuditViews } from '#store/audit/audit-views.ts'
import type { People } from '../auth/known-people.ts'
import { seesAddresses } from '../auth/may.ts'
import type { ServiceContext } from '../context.ts'

/** A filter of records; the workspace is always the caller's. */
export type AuditQuery = Omit<AuditFilter, 'workspace_id'>

/** A filter as it is asked for: `actor` is an id, or a part of the id, the name or the mail address of people. */
export type AuditQuestion = Omit<AuditQuery, 'actors'> & { actor?: string | undefined }

export interface AuditContext {
  workspace_id: string
  audits: AuditViews
}

/** Records of a workspace as they were hashed, newest first. */
export async function readAudit(
  { workspace_id, audits }: AuditContext,
  query: AuditQuery,
  place: { limit: number; after?: AuditPlace | undefined },
): Promise<AuditRecord[]> {
  return (await audits.list(filterOf(workspace_id, query), place)).map(toRecord)
}

/** Times are compared as the records have them. */
export function filterOf(workspace_id: string, { from, to, ...query }: AuditQuery): AuditFilter {
  const inUtc = (time: string | undefined) => time && isoTime(Date.parse(time))
  return { ...query, workspace_id, from: inUtc(from), to: inUtc(to) }
}

function toRecord({ seq, hash, prev_hash, draft }: AuditRow): AuditRecord {
  return { seq, hash, prev_hash: prev_hash ?? GENESIS.hash, event: wellFormed({ ...draft, seq, v: 1 as const }) }
}

/** The audit record of something that the caller does. */
export function auditBy(
  ctx: Pick<ServiceContext, 'actor' | 'attempt' | 'channel' | 'clock' | 'ids'>,
  what: Pick<AuditDraft, 'category' | 'action' | 'workspace_id' | 'subject' | 'data'>,
): AuditDraft {
  const { type, id, auth } = ctx.actor
  return {
    id: ctx.ids.next('audit'),
    ts: isoTime(ctx.clock()),
    ...what,
    actor: { type, id, auth },
    channel: ctx.channel,
    ...marked(ctx),
  }
}

/** Makes a write mark the `Idempotency-Key` of its request, in the same transaction. */
export function marked({ attempt }: Pick<ServiceContext, 'attempt'>): Pick<AuditDraft, 'attempt'> {
  return attempt === undefined ? {} : { attempt: { id: attempt.id, turn: attempt.turn } }
}

export interface ActorContext {
  people: Pick<People, 'named'>
  actor: Actor
  workspace_id: string
}

/** Records have ids of actors: it finds those of the people of the workspace who are meant. */
export async function byActor(
  { people, actor: reader, workspace_id }: ActorContext,
  { actor, ...query }: AuditQuestion,
): Promise<AuditQuery> {
  if (actor === undefined) return query
  const circle = { account_id: reader.account_id, workspaces: [workspace_id] }
  const ids = await people.named(circle, actor, { addresses: seesAddresses(reader) })
  return { ...query, actors: [...new Set([actor, ...ids])] }
}
