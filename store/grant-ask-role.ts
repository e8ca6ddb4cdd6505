import { ASK_READS, ASK_ROLE } from './ask-role.ts'
import { askUrl } from './ask-url.ts'
import type { Db } from './db.ts'
import { scramVerifier } from './scram-verifier.ts'
import { undisturbed } from './undisturbed.ts'

const POLICY = 'ask_in_one_workspace'

/**
 * Gives the ask agent its role: it can log in, may read some tables and never rows of every workspace at once. Answers with what somebody
 * else has to do where the owner of the database cannot make the role; everything but the ask agent works without it.
 */
export async function grantAskRole(db: Db, servicesUrl: string): Promise<string | undefined> {
  return await undisturbed(async () => {
    const [found] = await db<{ known: boolean; may_create: boolean; owner: string }[]>`
      select exists (select from pg_roles where rolname = ${ASK_ROLE}) as known, rolsuper or rolcreaterole as may_create, rolname as owner
      from pg_roles where rolname = current_user`
    const { known = false, may_create = false, owner = '' } = found ?? {}
    if (!known && !may_create)
      return `Role ${owner} may create no role (CREATEROLE). As a superuser: create role ${ASK_ROLE} login password '…'; then migrate once more, and set SVC_ASK_DATABASE_URL to the url of that role`
    if (may_create) await makeRole(db, known, new URL(askUrl(servicesUrl)).password)
    await db.begin(async (tx) => {
      // the same as that of the other role: both write what is known of the same tables
      await tx`select pg_advisory_xact_lock(hashtext('svc:app-role'))`
      const guarded = await tx<{ name: string }[]>`
        select c.relname as name from pg_policy p join pg_class c on c.oid = p.polrelid where p.polname = ${POLICY}`
      await tx.unsafe(grants(new Set(guarded.map(({ name }) => name))))
    })
    return undefined
  })
}

/** A role of that name that somebody else made keeps the password that it was given. */
async function makeRole(db: Db, known: boolean, password: string): Promise<void> {
  const secret = password === '' ? 'login' : `login password '${scramVerifier(password)}'`
  const statement = known
    ? `alter role ${ASK_ROLE} ${secret}`
    : `create role ${ASK_ROLE} nosuperuser nocreatedb nocreaterole noinherit ${secret}`
  await db.unsafe(statement).catch((error: unknown) => {
    if (!(known && error instanceof Error && 'code' in error && error.code === '42501')) throw error
  })
}

function grants(guarded: ReadonlySet<string>): string {
  const tables = Object.entries(ASK_READS)
  return [
    `revoke all on all tables in schema public from ${ASK_ROLE}`,
    `grant usage on schema public to ${ASK_ROLE}`,
    ...tables.map(
      ([table, columns]) =>
        `grant select${columns === 'all' ? '' : ` (${columns.join(', ')})`} on ${table} to ${ASK_ROLE}`,
    ),
    // `*` shows the services every workspace; whoever reads as this role has to name one
    ...tables
      .filter(([table]) => !guarded.has(table))
      .map(
        ([table]) =>
          `create policy ${POLICY} on ${table} as restrictive for select to ${ASK_ROLE} using (current_setting('svc.workspace', true) <> '*')`,
      ),
  ].join(';\n')
}
