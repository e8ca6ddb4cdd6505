import type { AuditDraft } from '#core/audit/types.ts'
import type { ConnectionSettings } from '#core/connection/kind-schema.ts'
import type { ConnectionStatus, ConnectionTest } from '#core/connection/schema.ts'
import { asJson, type Db } from '../db.ts'
import {
  type AuthorizationRow,
  type AuthorizationVersion,
  authorizationColumn,
  becoming,
  type SealedSecret,
} from './authorizations.ts'

export interface ConnectionRow extends ConnectionSettings {
  id: string
  account_id: string
  name: string
  workspaces: string[]
  version: number
  fingerprint: string | null
  status: ConnectionStatus
  last_test: ConnectionTest | null
  created_by: string
  created_at: string
  author: string
  updated_at: string
  /** the key that sealed its secret; null without one */
  kid: string | null
  last_used_at: string | null
  /** what was authorised at its provider */
  authorization: AuthorizationRow | null
}

/** A connection with its sealed secret, both of one version. */
export interface SealedRow extends ConnectionRow {
  sealed: string | null
}

export type ConnectionDraft = Pick<
  ConnectionRow,
  'id' | 'account_id' | 'name' | 'kind' | 'auth' | 'config' | 'workspaces' | 'fingerprint' | 'author'
>

/** The state that a change was decided on: it applies to no other. */
export type ConnectionState = Pick<ConnectionRow, 'id' | 'version' | 'workspaces'>

export interface ConnectionChange
  extends Pick<ConnectionRow, 'kind' | 'auth' | 'config' | 'workspaces' | 'fingerprint' | 'version' | 'author'> {
  /** sealed for the new version; undefined where the version stays, or it needs none */
  secret: SealedSecret | undefined
  /** what was authorised is good for the new version too */
  keeps_authorization: boolean
}

/** A use of a connection by a step. */
export interface ConnectionUse {
  connection_id: string
  version: number
  run_id: string
  step_id: string
}

export interface SealedConnection extends ConnectionSettings {
  id: string
  version: number
  sealed: string
  /** what is sealed are the tokens of this authorization */
  authorization: AuthorizationVersion | null
}

/** Connections of the console. Every change is one transaction with its audit record; secrets are read for a use alone. */
export function createConnectionStore(db: Db) {
  const columns = db`
    c.id, c.account_id, c.name, c.kind, c.auth, c.config, c.workspaces, c.version, c.fingerprint, c.status, c.last_test,
    c.created_by, iso_time(c.created_at) as created_at, c.author, iso_time(c.updated_at) as updated_at, s.kid,
    (select iso_time(max(u.used_at)) from connection_uses u where u.connection_id = c.id) as last_used_at,
    ${authorizationColumn(db)}`
  const rows = db`connections c left join connection_secrets s on s.connection_id = c.id`
  const audited = (from: string, audit: AuditDraft) =>
    db`audited as (insert into audit_outbox (draft) select ${db.json(asJson(audit))} from ${db(from)})`
  /** The grant id is read under the lock: `before` may be older. */
  const withGrantId = (draft: AuditDraft) => db`jsonb_set(${db.json(asJson(draft))}, '{data,grant}', to_jsonb(g.id))`
  const isAt = ({ id, version, workspaces }: ConnectionState) => db`
    id = ${id} and version = ${version} and workspaces = ${[...workspaces]}::text[]`

  async function find(idOrName: string): Promise<ConnectionRow | undefined> {
    const [row] = await db<ConnectionRow[]>`
      select ${columns} from ${rows} where c.id = ${idOrName} or c.name = ${idOrName}`
    return row
  }

  return {
    find,

    /** In one statement: no rotation comes between a connection and its secret. */
    async findSealed(idOrName: string): Promise<SealedRow | undefined> {
      const [row] = await db<SealedRow[]>`
        select ${columns}, s.sealed from ${rows} where c.id = ${idOrName} or c.name = ${idOrName}`
      return row
    },

    async list(): Promise<ConnectionRow[]> {
      return db<ConnectionRow[]>`select ${columns} from ${rows} order by c.name collate "C"`
    },

    async names(): Promise<string[]> {
      const named = await db<{ id: string; name: string }[]>`select id, name from connections order by name collate "C"`
      return named.flatMap(({ id, name }) => [name, id])
    },

    /** Undefined when the name is taken, or there are `most` of them. */
    async create(
      draft: ConnectionDraft,
      secret: SealedSecret | undefined,
      { most, audit }: { most: number; audit: AuditDraft },
    ): Promise<ConnectionRow | undefined> {
      const made = await db.begin(async (sql) => {
        // serialised, or two writers would both find the last free place
        await sql`select pg_advisory_xact_lock(hashtextextended('svc:connections', 0))`
        const { id, account_id, name, kind, auth, config, workspaces, fingerprint, author } = draft
        const [row] = await sql`
          with made as (
            insert into connections (id, account_id, name, kind, auth, config, workspaces, fingerprint, created_by, author)
            select ${id}, ${account_id}, ${name}, ${kind}, ${auth}, ${db.json(asJson(config))}, ${[...workspaces]}::text[],
              ${fingerprint}, ${author}, ${author}
            where (select count(*) from connections) < ${most}
            on conflict on constraint connections_by_name do nothing returning id
          ), ${audited('made', audit)}
          select id from made`
        if (row !== undefined && secret !== undefined)
          await sql`
            insert into connection_secrets (connection_id, version, kid, sealed)
            values (${id}, 1, ${secret.kid}, ${secret.sealed})`
        return row !== undefined
      })
      return made ? await find(draft.id) : undefined
    },

    /** Undefined when it is no longer `before`. A new version is untested. `dropped` goes on record with an authorization that is. */
    async change(
      before: ConnectionState,
      change: ConnectionChange,
      { audit, dropped }: { audit: AuditDraft; dropped: AuditDraft },
    ): Promise<ConnectionRow | undefined> {
      const { kind, auth, config, workspaces, fingerprint, version, author, secret, keeps_authorization } = change
      const changed = await db.begin(async (sql) => {
        const [row] = await sql`
          with changed as (
            update connections set kind = ${kind}, auth = ${auth}, config = ${db.json(asJson(config))},
              workspaces = ${[...workspaces]}::text[], fingerprint = ${fingerprint}, version = ${version},
              status = case when version = ${version} then status else 'untested' end,
              last_test = case when version = ${version} then last_test end,
              author = ${author}, updated_at = now()
            where ${isAt(before)} returning id
          ), ${audited('changed', audit)}
          select id from changed`
        if (row === undefined) return false
        if (version !== before.version) await sql`delete from connection_secrets where connection_id = ${before.id}`
        if (!keeps_authorization)
          await sql`
            with g as (delete from connection_grants where connection_id = ${before.id} returning id)
            insert into audit_outbox (draft) select ${withGrantId(dropped)} from g`
        // what the provider refused may be right with another secret
        else if (version !== before.version)
          await sql`
            update connection_grants set ${becoming(db, 'active')}, detail = null, refresh_at = now()
            where connection_id = ${before.id} and state = 'failed' and refreshable`
        if (secret !== undefined)
          await sql`
            insert into connection_secrets (connection_id, version, kid, sealed)
            values (${before.id}, ${version}, ${secret.kid}, ${secret.sealed})`
        return true
      })
      return changed ? await find(before.id) : undefined
    },

    /** False when it is no longer `before`. */
    async remove(
      before: ConnectionState,
      { audit, dropped }: { audit: AuditDraft; dropped: AuditDraft },
    ): Promise<boolean> {
      return await db.begin(async (sql) => {
        // locked: an authorisation stored in between would go without a record
        await sql`select id from connections where ${isAt(before)} for update`
        const drafts = await sql<{ draft: AuditDraft }[]>`
          select ${withGrantId(dropped)} as draft from connection_grants g where g.connection_id = ${before.id}`
        const [row] = await sql`delete from connections where ${isAt(before)} returning id`
        if (row === undefined) return false
        for (const draft of [audit, ...drafts.map((each) => each.draft)])
          await sql`insert into audit_outbox (draft) values (${db.json(asJson(draft))})`
        return true
      })
    },

    /** Keeps the outcome of a test of this version. */
    async tested(
      { id, version }: Pick<ConnectionState, 'id' | 'version'>,
      { status, last_test }: { status: ConnectionStatus; last_test: ConnectionTest },
    ): Promise<void> {
      await db`
        update connections set status = ${status}, last_test = ${db.json(asJson(last_test))}
        where id = ${id} and version = ${version}`
    },

    /** The sealed secret of the present version; undefined without one. */
    async sealed(id: string, version: number): Promise<string | undefined> {
      const [row] = await db<{ sealed: string }[]>`
        select sealed from connection_secrets where connection_id = ${id} and version = ${version}`
      return row?.sealed
    },

    /** Records the first use of a version by a step; later attempts of it add nothing. */
    async used({ connection_id, version, run_id, step_id }: ConnectionUse, audit: AuditDraft): Promise<void> {
      await db`
        with used as (
          insert into connection_uses (connection_id, version, run_id, step_id)
          values (${connection_id}, ${version}, ${run_id}, ${step_id})
          on conflict do nothing returning run_id
        ), ${audited('used', audit)}
        select from used`
    },

    /** Steps that have used it, by UTC day, of the last 30 days that have any. */
    async usesPerDay(id: string, workspaceId: string | undefined): Promise<{ day: string; uses: number }[]> {
      const ofWorkspace =
        workspaceId === undefined
          ? db``
          : db`and exists (select from runs r where r.id = u.run_id and r.workspace_id = ${workspaceId})`
      return db<{ day: string; uses: number }[]>`
        select to_char(used_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*)::integer as uses
        from connection_uses u where connection_id = ${id} ${ofWorkspace}
          and used_at >= date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' - interval '29 days'
        group by day order by day`
    },

    /** Secrets and tokens that another key than this one has sealed. */
    async sealedByOthers(kid: string): Promise<SealedConnection[]> {
      return db<SealedConnection[]>`
        select c.id, c.kind, c.auth, c.config, c.version, s.sealed, s."authorization"
        from connections c join (
          select connection_id, kid, sealed, null as "authorization" from connection_secrets
          union all
          select connection_id, kid, sealed, jsonb_build_object('id', id, 'token_version', tokens) from connection_grants
        ) s on s.connection_id = c.id
        where s.kid <> ${kid} order by c.id, s."authorization" nulls first`
    },

    /** False when it has another secret by now. */
    async reseal(
      { id, sealed }: Pick<SealedConnection, 'id' | 'sealed'>,
      secret: SealedSecret,
      audit: AuditDraft,
    ): Promise<boolean> {
      const done = await db`
        with secret as (
          update connection_secrets set kid = ${secret.kid}, sealed = ${secret.sealed}
          where connection_id = ${id} and sealed = ${sealed} returning connection_id
        ), tokens as (
          update connection_grants set kid = ${secret.kid}, sealed = ${secret.sealed}
          where connection_id = ${id} and sealed = ${sealed} returning connection_id
        ), resealed as (
          select connection_id from secret union all select connection_id from tokens
        ), ${audited('resealed', audit)}
        select from resealed`
      return done.length > 0
    },
  }
}
