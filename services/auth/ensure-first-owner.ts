import { DomainError } from '#core/errors.ts'
import { DEFAULT_WORKSPACE_ID, type Ids } from '#core/id.ts'
import type { Clock } from '#core/time/time.ts'
import { Credentials, UserInvite } from '#core/user/schema.ts'
import type { Passwords } from '#platform/password.ts'
import { createDb } from '#store/db.ts'
import { createUserStore, type UserStore } from '#store/users.ts'
import { ANONYMOUS, LOCAL_ACTOR } from './authenticator.ts'
import { auditOf } from './identity.ts'

export interface FirstOwnerPorts {
  users: Pick<UserStore, 'hasOwner' | 'createFirstOwner'>
  passwords: Pick<Passwords, 'hash'>
  ids: Ids
  clock: Clock
}

export interface FirstOwnerInput {
  email: string
  password: string
  display_name?: string | undefined
}

const FirstOwner = Credentials.extend({ display_name: UserInvite.shape.display_name })

/** `exists`: there is an owner already; `email_taken`: there is none, but another user has the address. */
export type FirstOwnerOutcome = 'created' | 'exists' | 'email_taken'

/** Makes the first owner when there is none. Throws `validation_failed`. Any number of processes at once make one. */
export async function ensureFirstOwner(ports: FirstOwnerPorts, input: FirstOwnerInput): Promise<FirstOwnerOutcome> {
  if (await ports.users.hasOwner()) return 'exists'
  const given = FirstOwner.safeParse({ ...input, email: input.email.trim() })
  if (!given.success) {
    throw new DomainError(
      'validation_failed',
      'An owner takes a mail address, a password of at least 12 characters, and a name of 1 to 200 characters if any.',
    )
  }
  const id = ports.ids.next('user')
  const { email, password, display_name = null } = given.data
  const owner = {
    id,
    // the account from before authentication was on, so that its objects stay accessible
    account_id: LOCAL_ACTOR.account_id,
    email,
    display_name,
    password_hash: await ports.passwords.hash(password),
  }
  const actor = { ...ANONYMOUS, id: 'bootstrap' }
  const ctx = { ...ports, actor, workspace_id: DEFAULT_WORKSPACE_ID, channel: 'system' as const }
  const audit = auditOf(ctx, { category: 'admin', action: 'owner.bootstrapped', user_id: id, data: { email } })
  if ((await ports.users.createFirstOwner(owner, audit)) !== undefined) return 'created'
  return (await ports.users.hasOwner()) ? 'exists' : 'email_taken'
}

/** SQLSTATE of a table that is not there. */
const UNDEFINED_TABLE = '42P01'

/** Makes the first owner directly in the database, before any user can sign in. Throws `not_configured` when the database has no tables. */
export async function bootstrapOwner(
  input: FirstOwnerInput & { databaseUrl: string } & Omit<FirstOwnerPorts, 'users'>,
): Promise<FirstOwnerOutcome> {
  const db = createDb(input.databaseUrl, { max: 1, name: 'svc-bootstrap' })
  try {
    return await ensureFirstOwner({ ...input, users: createUserStore(db) }, input)
  } catch (cause) {
    if (!(cause instanceof Error) || !('code' in cause) || cause.code !== UNDEFINED_TABLE) throw cause
    throw new DomainError('not_configured', 'This database has no tables yet: start svc once.', {}, { cause })
  } finally {
    await db.end({ timeout: 2 })
  }
}
