import type { Db } from '../db.ts'
import { askUrl, scramVerifier } from '../make-app-role.ts'
import { undisturbed } from '../sql/lock-conflicts.ts'
import { ASK_ROLE } from './ask-role.ts'

/**
 * Makes the role of the ask agent, which gets its rights by `applyRights`. Returns instructions for an administrator where the owner of the
 * database cannot make it; everything but the ask agent works without it.
 */
export async function makeAskRole(db: Db, servicesUrl: string): Promise<string | undefined> {
  return await undisturbed(async () => {
    const [found] = await db<{ known: boolean; may_create: boolean; owner: string }[]>`
      select exists (select from pg_roles where rolname = ${ASK_ROLE}) as known, rolsuper or rolcreaterole as may_create, rolname as owner
      from pg_roles where rolname = current_user`
    const { known = false, may_create = false, owner = '' } = found ?? {}
    if (!known && !may_create)
      return `Role ${owner} may create no role (CREATEROLE). As a superuser: create role ${ASK_ROLE} login password '…'; then migrate once more, and set SVC_ASK_DATABASE_URL to the url of that role`
    if (may_create) await makeRole(db, known, new URL(askUrl(servicesUrl)).password)
    return undefined
  })
}

/** A role of that name with another maker keeps its password. */
async function makeRole(db: Db, known: boolean, password: string): Promise<void> {
  const secret = password === '' ? 'login' : `login password '${scramVerifier(password)}'`
  const statement = known
    ? `alter role ${ASK_ROLE} ${secret}`
    : `create role ${ASK_ROLE} nosuperuser nocreatedb nocreaterole noinherit ${secret}`
  await db.unsafe(statement).catch((error: unknown) => {
    if (!(known && error instanceof Error && 'code' in error && error.code === '42501')) throw error
  })
}
