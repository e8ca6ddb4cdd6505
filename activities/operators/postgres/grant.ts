import { z } from 'zod'
import { defineOperator } from '#core/operator.ts'
import { connectionText } from '#core/run/shown-data.ts'
import { ConnectionId } from '../field-schema.ts'
import { operatorInput } from '../operator-input.ts'
import { changeRoles, isPrivileged, quotedRole, RoleName, roleRefused, simulateRoles } from './roles.ts'
import { postgresOnly, type SessionQuery } from './session.ts'

const GrantInput = z.strictObject({
  connection: ConnectionId.describe('Its role may grant: it has the role WITH ADMIN OPTION'),
  role: RoleName.describe('What is granted'),
  login: RoleName.describe('Who gets it'),
  note: z
    .string()
    .min(1)
    .max(500)
    .exactOptional()
    .describe('What the template tells the approvers; nothing of it is sent'),
})
type GrantInput = z.infer<typeof GrantInput>

/** Makes a login a member of a role. Always asks: its gate is part of its definition. */
export const postgresGrant = defineOperator<GrantInput>({
  id: 'postgres.grant',
  version: 1,
  title: 'Grant a Postgres role',
  risk: 'high',
  action_type: 'access.grant',
  capabilities: ['role.write'],
  requires_approval: true,
  ...operatorInput(GrantInput),
  // a gate after a lost answer would leave the role to its holder for as long as nobody answers, and no clock would run
  replay: () => 'safe',
  connection: ({ connection }) => connection,
  applyConnection: postgresOnly,
  describe: (input, transport) => ({
    summary: `make ${input.login} a member of ${input.role} on ${connectionText(input.connection, transport.connection?.target)}${input.note === undefined ? '' : `; the template says: ${input.note}`}`,
    targets: { kind: 'role', ids: [input.role, input.login] },
    command: grantText(input),
  }),
  simulate: (ctx, input) => simulateRoles(ctx, input.connection, (sql) => plan(sql, input, ctx.attempt)),
  execute: async (ctx, input) => ({
    outputs: (await changeRoles(ctx, input.connection, (sql) => plan(sql, input, ctx.attempt))).outputs,
  }),
})

const grantText = ({ role, login }: GrantInput) => `GRANT ${quotedRole(role)} TO ${quotedRole(login)}`

interface Found {
  can_login: boolean
  /** null where it is no member by itself */
  by_me: boolean | null
  /** who can act as the login; from PostgreSQL 16 on, who has made it may be a member that cannot */
  members: number
}

/** Whoever is a member already stays one: that membership has no end, and nobody may take it for this grant. */
async function plan(sql: SessionQuery, input: GrantInput, attempt: number) {
  const { role, login } = input
  const [found] = await sql<Found[]>`
    select l.rolcanlogin as can_login,
      (select bool_or(pg_has_role(m.grantor, 'USAGE')) from pg_auth_members m where m.roleid = r.oid and m.member = l.oid) as by_me,
      (select count(*)::int from pg_auth_members m join pg_roles other on other.oid = m.member
       where m.roleid = l.oid and other.rolname <> current_user and to_jsonb(m) ->> 'set_option' is distinct from 'false') as members
    from pg_roles r cross join pg_roles l where r.rolname = ${role} and l.rolname = ${login}`
  if (found === undefined) throw roleRefused(`there is no role ${role}, or no login ${login}`)
  if (!found.can_login) throw roleRefused(`${login} is no login`)
  if (found.members > 0)
    throw roleRefused(
      `${login} is used as a group: its members (${found.members}) could keep ${role} in their sessions`,
    )
  if (await isPrivileged(sql, role))
    throw roleRefused(`a member of ${role} could give it to others, or rule the server`)
  if (found.by_me === null)
    return {
      statement: grantText(input),
      summary: `would make ${login} a member of ${role}`,
      outputs: { granted: true },
    }
  // an attempt of this step may have granted it, and its answer was lost
  const granted = attempt > 1 && found.by_me
  return { statement: undefined, summary: `${login} is a member of ${role} already`, outputs: { granted } }
}
