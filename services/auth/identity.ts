import type { AuditDraft } from '#core/audit/types.ts'
import { DomainError } from '#core/errors.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { isoTime } from '#core/time/time.ts'
import type { Passwords } from '#platform/password.ts'
import type { Sessions } from '#platform/sessions.ts'
import type { Tokens } from '#platform/tokens.ts'
import type { ApiKeyStore } from '#store/api-keys.ts'
import type { ChangeBy, UserRow, UserStore } from '#store/users.ts'
import type { ServiceContext } from '../context.ts'
import { peopleBehind } from './create-people.ts'

/** The dependencies of signing in. */
export interface Identity {
  users: UserStore
  keys: ApiKeyStore
  passwords: Passwords
  /** undefined while authentication is off: no tokens are issued */
  tokens: Tokens | undefined
  /** undefined with them */
  sessions: Sessions | undefined
}

/** A request about users. */
export type IdentityContext = ServiceContext & Identity

/** Returns the tokens; without authentication there are no users to change. */
export function tokensOf(ctx: Pick<Identity, 'tokens'>): Tokens {
  if (ctx.tokens === undefined)
    throw new DomainError('not_configured', 'Authentication is off: OBS_JWT_SECRET is not set.')
  return ctx.tokens
}

/** Returns the sessions, which exist with tokens only. */
export function sessionsOf(ctx: Pick<Identity, 'sessions'>): Sessions {
  if (ctx.sessions === undefined) throw new DomainError('not_configured', 'Authentication is off: there is no sign-in.')
  return ctx.sessions
}

/** The record of something that an actor did to a user. */
export function auditOf(
  ctx: Pick<ServiceContext, 'ids' | 'clock' | 'workspace_id' | 'actor' | 'channel'>,
  what: {
    category: 'auth' | 'admin'
    action: string
    user_id: string
    data?: AuditDraft['data']
    ip?: string | undefined
  },
): AuditDraft {
  const { type, id, auth } = ctx.actor
  return {
    id: ctx.ids.next('audit'),
    ts: isoTime(ctx.clock()),
    category: what.category,
    action: what.action,
    workspace_id: ctx.workspace_id,
    actor: { type, id, auth, ...(what.ip !== undefined && { ip: what.ip }) },
    channel: ctx.channel,
    subject: { type: 'user', id: what.user_id },
    data: what.data ?? {},
  }
}

/** Returns the logs that record acts on a user: those of the user's workspaces; for members of all, the first one's. */
export function logsOf(...people: Pick<UserRow, 'workspaces'>[]): string[] {
  const ids = people.flatMap(({ workspaces }) => workspaces.map((id) => (id === '*' ? DEFAULT_WORKSPACE_ID : id)))
  return ids.length === 0 ? [DEFAULT_WORKSPACE_ID] : [...new Set(ids)]
}

/**
 * Drafts the records of an act on a user, one for each log, whatever workspace the request named. `data` holds what that log may tell:
 * nothing of the others.
 */
export function auditsOf(
  ctx: Parameters<typeof auditOf>[0],
  {
    logs,
    data,
    ...what
  }: Omit<Parameters<typeof auditOf>[1], 'data'> & {
    logs: readonly string[]
    data?: (log: string) => AuditDraft['data']
  },
): AuditDraft[] {
  return logs.map((log) => auditOf({ ...ctx, workspace_id: log }, { ...what, data: data?.(log) ?? {} }))
}

/** Returns the part of a user's workspaces that the log of one workspace may tell. */
export function workspacesIn(log: string, workspaces: readonly string[]): string[] {
  return workspaces.filter((id) => id === log || id === '*')
}

/** Returns the caller's own row. Throws `not_configured` for a caller without one: the local owner of a deployment without authentication. */
export function mustBeKnown(row: UserRow | undefined): UserRow {
  if (row === undefined) throw new DomainError('not_configured', 'Authentication is off: there is no signed-in user.')
  return row
}

/** Describes a change of a user's rights: its author is the caller, with everyone behind the caller's account. */
export async function changeBy(
  { actor, users }: Pick<IdentityContext, 'actor' | 'users'>,
  what: ChangeBy['what'],
): Promise<ChangeBy> {
  const others = actor.type === 'service' ? await peopleBehind(users, actor) : []
  return { what, by: [...new Set([actor.id, ...others])] }
}
