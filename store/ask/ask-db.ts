import { createDb } from '../db.ts'
import { createTenantDb, type TenantDb } from '../tenant-db.ts'
import { ASK_ROLE } from './ask-role.ts'

/** A read-only way to the database for the tools of the ask agent, with a check that it is no more. */
export interface AskDb extends TenantDb {
  /** why reading is impossible, for operators; undefined where it works */
  problem(): Promise<string | undefined>
  end(): Promise<void>
}

/** No question waits longer for a tool. */
const STATEMENT_MS = 2_000

interface Rights {
  role: string
  excess: boolean
  member: boolean
  writes: string | null
}

/** Reads for one workspace, with a read-only role. The role is checked before each use, until it was right once. */
export function createAskDb(url: string, { max = 4 }: { max?: number } = {}): AskDb {
  const tenants = createTenantDb(url, { max, name: 'svc-ask', reads_within_ms: STATEMENT_MS })
  let sound: Promise<string | undefined> | undefined

  return {
    in: tenants.in,
    end: tenants.end,
    async problem() {
      sound ??= findProblem(url)
      const found = await sound
      if (found !== undefined) sound = undefined
      return found
    },
  }
}

async function findProblem(url: string): Promise<string | undefined> {
  const db = createDb(url, { max: 1, name: 'svc-ask-rights', workspace: 'none', reads_within_ms: STATEMENT_MS })
  try {
    const [rights] = await db<Rights[]>`
      select rolname as role, rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication as excess,
        exists (select from pg_auth_members where member = r.oid) as member,
        (select min(c.relname) from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
          and (pg_get_userbyid(c.relowner) = current_user
            or has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
            or has_any_column_privilege(c.oid, 'INSERT, UPDATE'))) as writes
      from pg_roles r where rolname = current_user`
    return rights === undefined ? 'the server does not know who is connected' : judged(rights)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    return `the role ${ASK_ROLE} cannot connect to the database (${code}). Migrate with an owner who may create roles, or make the role and set SVC_ASK_DATABASE_URL, as docs/ask.md says`
  } finally {
    await db.end({ timeout: 1 })
  }
}

function judged({ role, excess, member, writes }: Rights): string | undefined {
  if (excess)
    return `the role ${role} may more than read. As a superuser: alter role ${role} nosuperuser nocreatedb nocreaterole nobypassrls noreplication`
  if (member) return `the role ${role} is a member of another role, and may what that may: revoke it`
  if (writes !== null) return `the role ${role} may write to ${writes}: migrate once more, or revoke it`
  return undefined
}
