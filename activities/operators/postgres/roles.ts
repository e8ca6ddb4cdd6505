import { z } from 'zod'
import type { JsonObject } from '#core/json/json.ts'
import { type OperatorContext, OperatorError, type Simulation } from '#core/operator.ts'
import { predicted } from '../predicted.ts'
import { postgresFailure } from './failure.ts'
import { applySettings, cancellable, type SessionQuery, withSession } from './session.ts'

/** The server cuts a longer name, and then means another role. */
const MAX_BYTES = 63
/** They name no role, also in quotes. */
const RESERVED = new Set(['public', 'none'])

export const RoleName = z
  .string()
  .min(1)
  .refine((name) => Buffer.byteLength(name) <= MAX_BYTES && !name.includes('\u0000'), 'a role name of at most 63 bytes')
  .refine((name) => !RESERVED.has(name), 'the name of one role')

/** A role as a statement names it: in quotes, whatever it is called. */
export function quotedRole(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** What a step would do to roles, by what it has read of them. */
export interface RoleChange<Outputs extends JsonObject> {
  /** undefined where nothing is to be done */
  statement: string | undefined
  summary: string
  outputs: Outputs
}

/** Reads roles, and makes the change that follows in the same transaction. After a lost answer it may be made again: it reads what it did. */
export function changeRoles<Outputs extends JsonObject>(
  ctx: OperatorContext,
  connection: string,
  read: (sql: SessionQuery) => Promise<RoleChange<Outputs>>,
): Promise<RoleChange<Outputs>> {
  return withRoles(ctx, connection, { read, acts: true })
}

/** Says what `changeRoles` would do, in a transaction that can only read. */
export async function simulateRoles<Outputs extends JsonObject>(
  ctx: OperatorContext,
  connection: string,
  read: (sql: SessionQuery) => Promise<RoleChange<Outputs>>,
): Promise<Simulation> {
  return await predicted(ctx, async () => {
    const { summary } = await withRoles(ctx, connection, { read, acts: false })
    return { ok: true, summary }
  })
}

async function withRoles<Outputs extends JsonObject>(
  ctx: OperatorContext,
  connection: string,
  { read, acts }: { read: (sql: SessionQuery) => Promise<RoleChange<Outputs>>; acts: boolean },
): Promise<RoleChange<Outputs>> {
  let mayHaveActed = false
  try {
    return await withSession(ctx, connection, async (session) => {
      const sql = session.sql()
      await sql.unsafe(acts ? 'begin' : 'begin read only')
      await applySettings(sql, { search_path: '', statement_timeout: '30000', lock_timeout: '5000' }, true)
      const change = await cancellable(session, ctx.signal, read(sql))
      if (!acts || change.statement === undefined) return change
      await ctx.beforeSending()
      await cancellable(session, ctx.signal, session.sql().unsafe(change.statement))
      ctx.signal.throwIfAborted()
      const commit = session.sql()
      mayHaveActed = true
      await commit.unsafe('commit')
      return change
    })
  } catch (error) {
    throw repeatable(postgresFailure(error, { signal: ctx.signal, may_have_acted: mayHaveActed }))
  }
}

function repeatable(error: unknown): unknown {
  if (!(error instanceof OperatorError) || !error.unknown_outcome) return error
  const { code, message, details, cause } = error
  return new OperatorError(code, message, { retryable: true, ...(details !== undefined && { details }), cause })
}

export function roleRefused(message: string): OperatorError {
  return new OperatorError('role_refused', message)
}

/** Tells whether a role, by itself or through another, rules the server or can give roles to others; false where there is none. */
export async function isPrivileged(sql: SessionQuery, role: string): Promise<boolean> {
  const [found] = await sql<{ privileged: boolean }[]>`
    select exists (
      select from pg_roles p where pg_has_role(r.oid, p.oid, 'MEMBER') and (
        p.rolsuper or p.rolcreaterole or p.rolcreatedb or p.rolreplication or p.rolbypassrls
        or p.rolname in ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files')
        or exists (select from pg_auth_members a where a.member = p.oid and a.admin_option))
    ) as privileged
    from pg_roles r where r.rolname = ${role}`
  return found?.privileged ?? false
}

/** Throws for a group: a role that has no login and was not retired, or with another member than the user of the connection. */
export async function mustBeUser(sql: SessionQuery, user: string): Promise<void> {
  const [found] = await sql<{ is_user: boolean; members: number }[]>`
    select rolcanlogin or ${retired(sql)} as is_user,
      (select count(distinct m.member)::int from pg_auth_members m join pg_roles other on other.oid = m.member
       where m.roleid = r.oid and other.rolname <> current_user) as members
    from pg_roles r where rolname = ${user}`
  if (found === undefined) return
  if (!found.is_user)
    throw roleRefused(`${user} cannot log in and was not retired by postgres.retire: it may be a group`)
  if (found.members > 0)
    throw roleRefused(`${user} is a group: it has other members than the user of the connection (${found.members})`)
}

/** Tells whether a user was retired: it has no login, and no password of it is valid. */
export async function isRetired(sql: SessionQuery, user: string): Promise<boolean> {
  const [found] = await sql<{ is_retired: boolean }[]>`
    select ${retired(sql)} as is_retired from pg_roles where rolname = ${user}`
  return found?.is_retired ?? false
}

const retired = (sql: SessionQuery) => sql`coalesce(not rolcanlogin and rolvaliduntil = '-infinity', false)`

/** Throws unless this is a user that may lose its password: not privileged, not that of the connection, and without a session on the server. */
export async function mustBeUnused(sql: SessionQuery, user: string): Promise<void> {
  const [found] = await sql<{ is_me: boolean; sessions: number }[]>`
    select rolname = current_user as is_me,
      (select count(*)::int from pg_stat_activity where usename = rolname) as sessions
    from pg_roles where rolname = ${user}`
  if (found === undefined) throw roleRefused(`there is no user ${user}`)
  if (found.is_me || (await isPrivileged(sql, user)))
    throw roleRefused(`${user} is the user of the connection itself, rules the server, or can give roles to others`)
  if (found.sessions > 0) throw roleRefused(`${user} has ${found.sessions} sessions: somebody uses its password`)
}
