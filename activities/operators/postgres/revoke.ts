import postgres from 'postgres'
import { z } from 'zod'
import { defineOperator, type OperatorContext } from '#core/operator.ts'
import { connectionText } from '#core/run/shown-data.ts'
import { ConnectionId } from '../field-schema.ts'
import { operatorInput } from '../operator-input.ts'
import { postgresFailure } from './failure.ts'
import { changeRoles, quotedRole, RoleName, roleRefused, simulateRoles } from './roles.ts'
import { postgresOnly, type SessionQuery, withSession } from './session.ts'

const RevokeInput = z.strictObject({
  connection: ConnectionId,
  role: RoleName.describe('What is taken back'),
  login: RoleName.describe('From whom'),
  end_sessions: z
    .boolean()
    .exactOptional()
    .describe('Default true: a session that has switched to the role (SET ROLE) would keep it'),
  had_role: z
    .boolean()
    .exactOptional()
    .describe('It is known that the login was given the role: its sessions are ended even if the role is gone already'),
})
type RevokeInput = z.infer<typeof RevokeInput>

/** Takes a role from a login, and ends its sessions. What is revoked already is revoked. */
export const postgresRevoke = defineOperator<RevokeInput>({
  id: 'postgres.revoke',
  version: 1,
  title: 'Revoke a Postgres role',
  risk: 'medium',
  action_type: 'access.revoke',
  capabilities: ['role.write'],
  requires_approval: false,
  ...operatorInput(RevokeInput),
  replay: () => 'safe',
  connection: ({ connection }) => connection,
  applyConnection: postgresOnly,
  describe: (input, transport) => ({
    summary: `take ${input.role} from ${input.login} on ${connectionText(input.connection, transport.connection?.target)}${ends(input) ? `, and end the sessions of ${input.login}` : ''}`,
    targets: { kind: 'role', ids: [input.role, input.login] },
    command: revokeText(input),
  }),
  simulate: (ctx, input) => simulateRoles(ctx, input.connection, (sql) => plan(sql, input)),
  async execute(ctx, input) {
    const { outputs } = await changeRoles(ctx, input.connection, (sql) => plan(sql, input))
    // who never had the role keeps their sessions; an earlier attempt of this step may have taken it
    const mayEnd = ends(input) && (outputs.revoked || ctx.attempt > 1 || input.had_role === true)
    return { outputs: { ...outputs, ...(await afterwards(ctx, input, mayEnd)) } }
  },
})

const ends = ({ end_sessions }: RevokeInput) => end_sessions !== false
const revokeText = ({ role, login }: RevokeInput) => `REVOKE ${quotedRole(role)} FROM ${quotedRole(login)}`

async function plan(sql: SessionQuery, input: RevokeInput) {
  const { role, login } = input
  const [found] = await sql<{ is_member: boolean }[]>`
    select exists (select from pg_auth_members m where m.roleid = r.oid and m.member = l.oid) as is_member
    from pg_roles r cross join pg_roles l where r.rolname = ${role} and l.rolname = ${login}`
  if (found === undefined)
    throw roleRefused(`there is no role ${role}, or no login ${login}: one that was renamed is a member still`)
  if (!found.is_member)
    return { statement: undefined, summary: `${login} is no member of ${role}`, outputs: { revoked: false } }
  return { statement: revokeText(input), summary: `would take ${role} from ${login}`, outputs: { revoked: true } }
}

/** Ends the sessions once the role is gone, and says what is left: a membership through others, sessions that it may not end. */
async function afterwards(ctx: OperatorContext, input: RevokeInput, mayEnd: boolean) {
  try {
    return await withSession(ctx, input.connection, async (session) => {
      const sql = session.sql()
      const sessions = mayEnd ? await endSessions(sql, input.login) : { sessions_ended: 0, sessions_left: 0 }
      const [found] = await sql<{ still_member: boolean }[]>`
        select pg_catalog.pg_has_role(l.oid, r.oid, 'MEMBER') as still_member from pg_catalog.pg_roles r cross join pg_catalog.pg_roles l
        where r.rolname operator(pg_catalog.=) ${input.role} and l.rolname operator(pg_catalog.=) ${input.login}`
      return { ...sessions, still_member: found?.still_member ?? false }
    })
  } catch (error) {
    throw postgresFailure(error, { signal: ctx.signal, may_have_acted: false })
  }
}

const INSUFFICIENT_PRIVILEGE = '42501'

async function endSessions(sql: SessionQuery, login: string) {
  const found = await sql<{ pid: number }[]>`
    select pid from pg_catalog.pg_stat_activity where usename operator(pg_catalog.=) ${login} and pid operator(pg_catalog.<>) pg_catalog.pg_backend_pid()`
  let sessions_ended = 0
  for (const { pid } of found) {
    const [ended] = await sql<{ ended: boolean }[]>`
      select pg_catalog.pg_terminate_backend(${pid}::pg_catalog.int4) as ended`.catch((error: unknown) => {
      if (error instanceof postgres.PostgresError && error.code === INSUFFICIENT_PRIVILEGE) return [{ ended: false }]
      throw error
    })
    if (ended?.ended === true) sessions_ended += 1
  }
  return { sessions_ended, sessions_left: found.length - sessions_ended }
}
