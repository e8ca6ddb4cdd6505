import { createHmac } from 'node:crypto'
import type { Db, Statements } from './db.ts'
import { scramVerifier } from './scram-verifier.ts'
import { undisturbed } from './undisturbed.ts'

/** The role that the running services use: it can read and write rows, never change the schema. */
const APP_ROLE = 'svc_app'

/** The services cannot get a role of their own; says what the owner of the database, or whoever runs the server, has to do. */
export class RoleProblem extends Error {}

interface Roles {
  owner: string
  is_super: boolean
  may_create: boolean
  known: boolean
  /** the role of the services may more than it should */
  excess: boolean
}

/**
 * Gives the services a role that cannot change the schema, and answers with their url. Unless it is given, the password follows from
 * the owner's, so every starter of a deployment arrives at the same one. Throws RoleProblem.
 */
export async function grantAppRole(db: Db, url: string, given: string | undefined): Promise<string> {
  const owner = new URL(url)
  const roles = await findRoles(db)
  // nobody has said that the services are to have a password of their own, and none can be made
  if (given === undefined && (owner.password === '' || !roles.may_create)) return url
  const password =
    given ?? createHmac('sha256', decodeURIComponent(owner.password)).update(APP_ROLE).digest('base64url')
  await undisturbed(() =>
    db.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtext('svc:app-role'))`
      const statement = roleStatement(await findRoles(tx), password)
      if (statement !== undefined) await tx.unsafe(statement).catch((error: unknown) => explain(error, roles))
      await tx.unsafe(GRANTS)
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

/** Only what differs is said: to mention an attribute takes the right to change it. */
function roleStatement({ is_super, may_create, known, excess, owner }: Roles, password: string): string | undefined {
  if (!known && !may_create)
    throw new RoleProblem(
      `role ${owner} may create no role (CREATEROLE), and there is no ${APP_ROLE} yet. As a superuser: create role ${APP_ROLE} login password '…' with the password that SVC_APP_PASSWORD has`,
    )
  if (excess && !is_super)
    throw new RoleProblem(
      `role ${APP_ROLE} may more than rows. As a superuser: alter role ${APP_ROLE} nosuperuser nocreatedb nocreaterole`,
    )
  const secret = `login password '${scramVerifier(password)}'`
  if (!known) return `create role ${APP_ROLE} nosuperuser nocreatedb nocreaterole ${secret}`
  // somebody else has made it, with the password that the services are given
  if (!may_create) return undefined
  return `alter role ${APP_ROLE} ${excess ? 'nosuperuser nocreatedb nocreaterole ' : ''}${secret}`
}

function explain(error: unknown, { owner }: Roles): never {
  if (error instanceof Error && 'code' in error && error.code === '42501')
    throw new RoleProblem(
      `role ${owner} may not change role ${APP_ROLE}, which somebody else has made. As a superuser: grant ${APP_ROLE} to ${owner} with admin option`,
    )
  throw error
}

const GRANTS = `
  grant usage on schema public to ${APP_ROLE};
  grant select, insert, update on all tables in schema public to ${APP_ROLE};
  grant usage on all sequences in schema public to ${APP_ROLE};
  grant execute on all functions in schema public to ${APP_ROLE};
  revoke update on run_events, gate_decisions, ledger_entries, artifact_bodies, plans, run_secrets, ask_turns, ask_tool_results from ${APP_ROLE};
  revoke insert, update on applied_functions from ${APP_ROLE};
  grant delete on start_outbox, idempotency_keys, worker_heartbeats, console_policies, console_documents, presets, knowledge_corpora, knowledge_documents, knowledge_chunks, bus_outbox, bus_messages, bus_dead_letters, set_aside, inbox_items, skill_firings, schedule_firings, ingress_deliveries, refusals, pipeline_outbox, pipeline_wakes, ask_threads to ${APP_ROLE};`
