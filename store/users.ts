import type { AuditDraft } from '#core/audit/types.ts'
import { coalesced } from '#core/coalesced.ts'
import type { Maker } from '#core/gate/contributors.ts'
import type { UserChanges } from '#core/gate/valid-votes.ts'
import type { Lifter } from '#core/halt/halt.ts'
import { asJson, type Db } from './db.ts'
import { hasPart } from './text-search.ts'

export type UserStatus = 'invited' | 'active' | 'disabled'

const MAX_ADMINS = 1_000

/** A person or a service account, with its secret columns. */
export interface UserRow {
  id: string
  account_id: string
  email: string
  display_name: string | null
  roles: string[]
  approval_roles: string[]
  scopes: string[]
  /** ids, home first, or `*` alone */
  workspaces: string[]
  status: UserStatus
  password_hash: string | null
  invite_hash: string | null
  invite_expires_at: string | null
  token_version: number
  out_of_office_until: string | null
  delegate_to: string | null
  last_login_at: string | null
  invited_by: string | null
  /** service accounts that may answer gates for this person */
  answering_accounts: string[]
  /** sessions of the console that ended before their time */
  ended_sessions: string[]
  /** other users who have invited them or changed their rights, with the last time */
  changed_by: UserChanges
  created_at: string
  updated_at: string
  /** place in the list, exact to the microsecond */
  position: string
}

/** A user who is invited. */
export interface UserInvitation {
  id: string
  account_id: string
  email: string
  display_name: string | null
  roles: string[]
  approval_roles: string[]
  scopes: string[]
  workspaces: string[]
  invite_hash: string
  invite_expires_at: string
  invited_by: string
}

/** A change that invites a user, or changes their rights, with its authors and the people behind them. */
export interface ChangeBy {
  what: keyof UserChanges[string]
  by: string[]
}

export interface FirstOwner {
  id: string
  account_id: string
  email: string
  display_name: string | null
  password_hash: string
}

type Editable = Omit<UserRow, 'id' | 'account_id' | 'email' | 'changed_by' | 'created_at' | 'updated_at' | 'position'>
export type UserPatch = Partial<Editable>

/** One record for each workspace whose log has it. */
export type UserAudit = AuditDraft | readonly AuditDraft[]

/** The result of a change, computed while the row is locked. */
export interface UserChange {
  patch: UserPatch
  audit: UserAudit
  /** absent where users change themselves, or no right changes */
  changed?: ChangeBy | undefined
}

/** Users whom an actor may see: of their account, and of their workspaces. */
export interface UserCircle {
  account_id: string
  workspaces: '*' | readonly string[]
}

/** Users. Every change is one transaction with its audit record. */
export function createUserStore(db: Db) {
  const columns = db`
    id, account_id, email, display_name, roles, approval_roles, scopes, workspaces, status, password_hash, invite_hash,
    invite_expires_at, token_version, out_of_office_until, delegate_to, last_login_at, invited_by, answering_accounts, ended_sessions, changed_by,
    created_at, updated_at, created_at::text as position`
  const within = ({ account_id, workspaces }: UserCircle) => db`
    account_id = ${account_id}
    ${workspaces === '*' ? db`` : db`and ('*' = any (workspaces) or workspaces && ${[...workspaces]}::text[])`}`
  const drafts = (audit: UserAudit) => db`jsonb_array_elements(${db.json(asJson([audit].flat()))})`
  const version = db`id || '/' || xmin as version`
  const withChange = ({ by, what }: ChangeBy, before: UserChanges = {}) => db`
    ${db.json(asJson(before))}::jsonb || coalesce((
      select jsonb_object_agg(each.id, coalesce(${db.json(asJson(before))}::jsonb -> each.id, '{}') || jsonb_build_object(${what}::text, iso_time(now())))
      from unnest(${by}::text[]) each (id)), '{}')`
  const withOwners = (id: string) => db`
    (id = ${id} or ('owner' = any (roles) and account_id = (select account_id from users where id = ${id})))`

  const makers = coalesced(async (ids: string): Promise<Maker[]> => {
    return db<Maker[]>`
      with recursive made (of, by, did, key) as (
        select e.* from unnest(${ids.split(' ')}::text[]) asked (id) cross join makers_of(asked.id) e
        union
        select e.* from made cross join makers_of(made.by) e
      )
      select of, by, did, key from made order by of, by, did, key`
  })

  return {
    /** Returns the approval roles of users who may sign in. */
    async heldApprovalRoles(): Promise<string[]> {
      const rows = await db<{ name: string }[]>`
        select distinct unnest(approval_roles) as name from users where status = 'active' order by name`
      return rows.map(({ name }) => name)
    },

    async find(id: string): Promise<UserRow | undefined> {
      const [row] = await db<UserRow[]>`select ${columns} from users where id = ${id}`
      return row
    },

    /** Returns the users among the ids. */
    async many(ids: readonly string[]): Promise<UserRow[]> {
      return db<UserRow[]>`select ${columns} from users where id = any (${[...ids]}::text[])`
    },

    /** `email` in lower case. */
    async findByEmail(email: string): Promise<UserRow | undefined> {
      const [row] = await db<UserRow[]>`select ${columns} from users where email = ${email}`
      return row
    },

    /** Ids of the users whose id or name, and where `addresses` whose mail address, has this part. */
    async idsNamed(circle: UserCircle, part: string, { addresses }: { addresses: boolean }): Promise<string[]> {
      const rows = await db<{ id: string }[]>`
        select id from users where ${within(circle)} and ${hasPart(db, db`concat_ws(' ', id, display_name, ${addresses ? db`email` : db`null`})`, part)} order by id`
      return rows.map(({ id }) => id)
    },

    /** Newest first, after a place in the list. */
    async list(
      circle: UserCircle,
      page: { limit: number; after?: { position: string; id: string } | undefined },
    ): Promise<UserRow[]> {
      return db<UserRow[]>`
        select ${columns} from users
        where ${within(circle)}
          ${page.after === undefined ? db`` : db`and (created_at, id) < (${page.after.position}::timestamptz, ${page.after.id})`}
        order by created_at desc, id desc limit ${page.limit}`
    },

    async count(circle: UserCircle, up_to: number): Promise<number> {
      const [row] = await db<{ count: number }[]>`
        select count(*) as count from (select from users where ${within(circle)} limit ${up_to}) counted`
      return row?.count ?? 0
    },

    /** Owners who can sign in. */
    async countOwners(accountId: string): Promise<number> {
      const [row] = await db<{ count: number }[]>`
        select count(*) as count from users
        where account_id = ${accountId} and 'owner' = any (roles) and status = 'active'`
      return row?.count ?? 0
    },

    /** Returns users who are away and let `userId` answer for them. */
    async delegators(userId: string): Promise<UserRow[]> {
      return db<UserRow[]>`
        select ${columns} from users
        where delegate_to = ${userId} and status = 'active' and out_of_office_until > now() order by id`
    },

    /** Returns who made these accounts and keys, and the accounts that made those, and so on: by invitation, key or password. */
    makers: (ids: readonly string[]): Promise<Maker[]> => makers(ids.toSorted().join(' ')),

    /** Returns users who can sign in and share one of these workspaces, by name. */
    async colleagues(circle: UserCircle, limit: number): Promise<UserRow[]> {
      return db<UserRow[]>`
        select ${columns} from users
        where ${within(circle)} and status = 'active' and not 'service' = any (roles)
        order by lower(coalesce(display_name, email)), id limit ${limit}`
    },

    /** Returns people who administer some workspaces or all, by name, then those without one by mail address, which not every reader may see. */
    async admins(): Promise<Lifter[]> {
      return db<Lifter[]>`
        select coalesce(nullif(display_name, ''), email) as name, workspaces from users
        where status = 'active' and roles && '{admin,owner}' and not 'service' = any (roles)
        order by nullif(display_name, '') is null, lower(coalesce(nullif(display_name, ''), email)), id limit ${MAX_ADMINS}`
    },

    /** Service accounts at work that have this scope and are in one of these workspaces, by name. */
    async serviceAccounts(circle: UserCircle, scope: string, limit: number): Promise<UserRow[]> {
      return db<UserRow[]>`
        select ${columns} from users
        where ${within(circle)} and status = 'active' and 'service' = any (roles) and ${scope} = any (scopes)
        order by lower(coalesce(display_name, email)), id limit ${limit}`
    },

    /** Returns the workspace ids that do not exist. */
    async unknownWorkspaces(ids: string[]): Promise<string[]> {
      const rows = await db<{ id: string }[]>`
        select wanted.id from unnest(${ids}::text[]) as wanted(id)
        where not exists (select from workspaces w where w.id = wanted.id)`
      return rows.map((row) => row.id)
    },

    /** Invites a user; undefined when the address is taken. */
    async invite(user: UserInvitation, audit: UserAudit, inviters = [user.invited_by]): Promise<UserRow | undefined> {
      const { id, account_id, email, display_name, roles, approval_roles, scopes, workspaces } = user
      const [row] = await db<UserRow[]>`
        with invited as (
          insert into users (id, account_id, email, display_name, roles, approval_roles, scopes, workspaces, invite_hash,
            invite_expires_at, invited_by, changed_by)
          values (${id}, ${account_id}, ${email}, ${display_name}, ${roles}, ${approval_roles}, ${scopes}, ${workspaces},
            ${user.invite_hash}, ${user.invite_expires_at}, ${user.invited_by}, ${withChange({ by: inviters, what: 'invited' })})
          on conflict (email) do nothing returning *
        ), noted as (
          insert into audit_outbox (draft) select ${drafts(audit)} from invited
        )
        select ${columns} from invited`
      return row
    },

    /**
     * Changes one user. `decide` gets the current row, and the number of other owners of its account who can sign in; if it throws, nothing
     * changes. It is called again when one of these has changed meanwhile. Undefined for an unknown user.
     */
    async change(
      id: string,
      decide: (current: UserRow, otherOwners: number) => UserChange,
    ): Promise<UserRow | undefined> {
      for (;;) {
        const seen = await db<(UserRow & { version: string })[]>`
          select ${columns}, ${version} from users where ${withOwners(id)} order by id`
        const found = seen.find((row) => row.id === id)
        if (found === undefined) return undefined
        const { version: _version, ...current } = found
        const others = seen.filter(
          (row) => row.id !== id && row.status === 'active' && row.roles.includes('owner'),
        ).length
        const { patch, audit, changed } = decide(current, others)
        // one statement and no transaction, because losing the backend inside `begin` would crash the process
        const [row] = await db<UserRow[]>`
          with locked as materialized (
            -- in the order of ids, so that two changes never wait for each other
            select ${version} from users where ${withOwners(id)} order by id for update of users
          ), changed as (
            update users set ${db({ ...editable(current), ...patch })}, updated_at = now()
              ${changed === undefined ? db`` : db`, changed_by = ${withChange(changed, current.changed_by)}`}
            where id = ${id} and ${seen.map((each) => each.version)}::text[] = (select array_agg(version) from locked)
            returning *
          ), noted as (
            insert into audit_outbox (draft) select ${drafts(audit)} from changed
          )
          select ${columns} from changed`
        if (row !== undefined) return row
      }
    },

    /** Notes that the user has signed in. */
    async recordLogin(id: string, audit: UserAudit): Promise<void> {
      await db`
        with noted as (update users set last_login_at = now() where id = ${id})
        insert into audit_outbox (draft) select ${drafts(audit)}`
    },

    /**
     * Makes the first owner unless there is one, or the address is taken. A unique index lets one of several starting processes
     * through: a read before the write would let both.
     */
    async createFirstOwner(owner: FirstOwner, audit: AuditDraft): Promise<UserRow | undefined> {
      const [row] = await db<UserRow[]>`
        with made as (
          insert into users (id, account_id, email, display_name, password_hash, roles, workspaces, status, bootstrapped)
          select ${owner.id}, ${owner.account_id}, ${owner.email}, ${owner.display_name}, ${owner.password_hash}, '{owner}', '{*}',
            'active', true
          where not exists (select from users where 'owner' = any (roles))
          on conflict do nothing
          returning *
        ), noted as (
          insert into audit_outbox (draft) select ${db.json(asJson(audit))} from made
        )
        select ${columns} from made`
      return row
    },

    /** Tells whether any user is an owner, of any account and state. */
    async hasOwner(): Promise<boolean> {
      const [row] = await db<{ found: boolean }[]>`
        select exists (select from users where 'owner' = any (roles)) as found`
      return row?.found ?? false
    },
  }
}

export type UserStore = ReturnType<typeof createUserStore>

/** The fields of a user that a change may name. */
function editable(row: UserRow): Editable {
  const { id: _id, account_id: _account, email: _email, changed_by: _by, ...named } = row
  const { created_at: _at, updated_at: _up, position: _p, ...rest } = named
  return rest
}
