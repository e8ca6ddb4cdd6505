import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { ASK_ROLE } from './ask/ask-role.ts'
import type { Db, Statements } from './db.ts'
import { APP_ROLE } from './rights/release-rights.ts'
import { RoleProblem } from './schema-problem.ts'
import { undisturbed } from './sql/lock-conflicts.ts'

const ITERATIONS = 4_096

/**
 * A password as PostgreSQL stores it (SCRAM-SHA-256, RFC 5802 and 7677): sent in its place, so that neither the statement nor the
 * server's log ever holds it.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, ITERATIONS, 32, 'sha256')
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest()
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${keyed('Server Key').toString('base64')}`
}

interface Roles {
  owner: string
  is_super: boolean
  may_create: boolean
  known: boolean
  /** the role of the services may more than it should */
  excess: boolean
}

/**
 * Makes the role of the services, which gets its rights by `applyRights`, and answers with their url. Unless it is given, the password
 * follows from the owner's, so every process of a deployment arrives at the same one. Throws RoleProblem.
 */
export async function makeAppRole(db: Db, url: string, given: string | undefined): Promise<string> {
  const owner = new URL(url)
  const roles = await findRoles(db)
  // the services have no password of their own, and none can be made
  if (given === undefined && (owner.password === '' || !roles.may_create)) return url
  const password =
    given ?? createHmac('sha256', decodeURIComponent(owner.password)).update(APP_ROLE).digest('base64url')
  await undisturbed(() =>
    db.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtext('svc:app-role'))`
      const statement = roleStatement(await findRoles(tx), password)
      if (statement !== undefined) await tx.unsafe(statement).catch((error: unknown) => explain(error, roles))
    }),
  )
  owner.username = APP_ROLE
  owner.password = password
  return owner.toString()
}

async function findRoles(db: Statements): Promise<Roles> {
  const [roles] = await db<Roles[]>`
    select me.rolname as owner, me.rolsuper as is_super, me.rolsuper or me.rolcreaterole as may_create, app.rolname is not null as known,
      coalesce(app.rolsuper or app.rolcreatedb or app.rolcreaterole, false) as excess
    from pg_roles me left join pg_roles app on app.rolname = ${APP_ROLE} where me.rolname = current_user`
  if (roles === undefined) throw new Error('the server does not know who is connected')
  return roles
}

/** Only differences are written: naming an attribute needs the right to change it. */
function roleStatement({ is_super, may_create, known, excess, owner }: Roles, password: string): string | undefined {
  if (!known && !may_create)
    throw new RoleProblem(
      `The services have no role of their own: role ${owner} may create no role (CREATEROLE), and there is no ${APP_ROLE} yet. As a superuser: create role ${APP_ROLE} login password '…' with the password that SVC_APP_PASSWORD has`,
    )
  if (excess && !is_super)
    throw new RoleProblem(
      `The services have no role of their own: role ${APP_ROLE} may more than rows. As a superuser: alter role ${APP_ROLE} nosuperuser nocreatedb nocreaterole`,
    )
  const secret = `login password '${scramVerifier(password)}'`
  if (!known) return `create role ${APP_ROLE} nosuperuser nocreatedb nocreaterole ${secret}`
  // another administrator made it, with the password of the services
  if (!may_create) return undefined
  return `alter role ${APP_ROLE} ${excess ? 'nosuperuser nocreatedb nocreaterole ' : ''}${secret}`
}

function explain(error: unknown, { owner }: Roles): never {
  if (error instanceof Error && 'code' in error && error.code === '42501')
    throw new RoleProblem(
      `The services have no role of their own: role ${owner} may not change role ${APP_ROLE}, which another user has made. As a superuser: grant ${APP_ROLE} to ${owner} with admin option`,
    )
  throw error
}

/** Returns the database url of the ask agent: the database of the services, with the read-only role. Its password is derived from theirs. */
export function askUrl(servicesUrl: string): string {
  const url = new URL(servicesUrl)
  const password = url.password === '' ? '' : passwordFrom(decodeURIComponent(url.password))
  url.username = ASK_ROLE
  url.password = password
  return url.toString()
}

function passwordFrom(services: string): string {
  return createHmac('sha256', services).update(ASK_ROLE).digest('base64url')
}
