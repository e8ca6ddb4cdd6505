import type { AuditActor, AuditDraft } from '#core/audit/types.ts'
import type { AuthorizationState } from '#core/connection/schema.ts'
import { asJson, type Db } from '../db.ts'

/** A secret as it is stored. */
export interface SealedSecret {
  kid: string
  sealed: string
}

/** What was authorised, and where its refresh stands. The times are compared by the database. */
export interface AuthorizationRow {
  id: string
  environment: string
  scopes: string[]
  authorized_by: string
  authorized_at: string
  state: AuthorizationState
  /** when it came into this state */
  since: string
  detail: string | null
  kid: string
  /** counts the tokens that were stored */
  token_version: number
  refreshable: boolean
  expires_at: string | null
  /** the access token is good for some seconds more */
  alive: boolean
  /** it ends within a week, and nothing renews it */
  ending: boolean
  /** it is to be refreshed */
  due: boolean
  /** a refresh began, and its process has ended */
  lost: boolean
}

/** The tokens that a refresh was decided on. */
export type AuthorizationVersion = Pick<AuthorizationRow, 'id' | 'token_version'>

/** Tokens of a provider, sealed. Times are milliseconds from now; null where it does not say. */
export interface SealedTokens extends SealedSecret {
  scopes: string[]
  refreshable: boolean
  expires_in_ms: number | null
  refresh_in_ms: number | null
}

/** An authorisation under way. */
export interface OauthFlow {
  connection_id: string
  version: number
  actor: AuditActor
  /** the API key that began it, or the version of the tokens of who began it; null while authentication is off */
  key_id: string | null
  token_version: number | null
  environment: string
  issuer: string
  redirect_uri: string
  pkce_sealed: string
}

/** What proves that the browser which comes back is that of who began. */
export type FlowBinding =
  | { browser_hash: string; code_hash?: undefined }
  | { code_hash: string; browser_hash?: undefined }

/** The authorization of a connection `c` as one column, without its tokens. */
export const authorizationColumn = (db: Db) => db`(
  select jsonb_build_object(
    'id', g.id, 'environment', g.environment, 'scopes', g.scopes, 'authorized_by', g.authorized_by,
    'authorized_at', iso_time(g.authorized_at), 'state', g.state, 'since', iso_time(g.since), 'detail', g.detail, 'kid', g.kid,
    'token_version', g.tokens,
    'refreshable', g.refreshable, 'expires_at', iso_time(g.expires_at),
    'alive', g.expires_at is null or g.expires_at > now() + interval '5 seconds',
    'ending', coalesce(not g.refreshable and g.expires_at <= now() + interval '7 days', false),
    'due', coalesce(g.refresh_at <= now(), false), 'lost', coalesce(g.refreshing_until <= now(), false))
  from connection_grants g where g.connection_id = c.id) as "authorization"`

/**
 * The columns of an authorization as it comes into a state. Its owner is told of `failed` and `unknown`, once until it is active again and at most
 * once an hour; what was not told by then is not told any more.
 */
export function becoming(db: Db, state: AuthorizationState) {
  const since = db`since = case when state = ${state} then since else now() end`
  if (state === 'active') return db`state = ${state}, ${since}, notice = null, notice_due_at = null`
  if (state === 'degraded') return db`state = ${state}, ${since}`
  return db`state = ${state}, ${since}, notice = ${state},
    notices = notices + (notice is distinct from ${state})::integer,
    notice_due_at = case when notice is distinct from ${state} then greatest(now(), ${db(`${state}_notified_at`)} + interval '1 hour') else notice_due_at end`
}

/** Authorizations of connections and the flows that lead to them. Every change is one statement with its audit record. */
export function createAuthorizationStore(db: Db) {
  const draft = (audit: AuditDraft) => db.json(asJson(audit))
  const after = (ms: number | null) => db`now() + ${ms}::double precision * interval '1 millisecond'`
  // not all of them at once, where many were authorised together
  const about = (ms: number | null) =>
    db`now() + ${ms}::double precision * (0.97 + 0.06 * random()) * interval '1 millisecond'`
  const becomes = (state: AuthorizationState) => becoming(db, state)
  const isAt = (connectionId: string, { id, token_version }: AuthorizationVersion) => db`
    connection_id = ${connectionId} and id = ${id} and tokens = ${token_version}`

  const flowColumns = db`
    connection_id, version, actor, key_id, token_version, environment, issuer, redirect_uri, pkce_sealed`
  const isAwaitingCode = db`code_hash is not null and consumed_at is null and expires_at > now() and tries < 5`
  const endNotice = (expires: ReturnType<typeof after>) => db`greatest(now(), ${expires} - interval '7 days')`

  return {
    /** Keeps a flow for ten minutes, and drops those that ended long ago. */
    async begin(flow: OauthFlow & { state_hash: string } & FlowBinding, audit: AuditDraft): Promise<string> {
      const { state_hash, connection_id, version, actor, key_id, token_version, environment, issuer, redirect_uri } =
        flow
      const [row] = await db<{ expires_at: string }[]>`
        with old as (delete from oauth_flows where expires_at < now() - interval '1 day'),
        made as (
          insert into oauth_flows (state_hash, connection_id, version, actor, key_id, token_version, environment, issuer,
            redirect_uri, pkce_sealed, browser_hash, code_hash, expires_at)
          values (${state_hash}, ${connection_id}, ${version}, ${db.json(asJson(actor))}, ${key_id}, ${token_version},
            ${environment}, ${issuer}, ${redirect_uri}, ${flow.pkce_sealed}, ${flow.browser_hash ?? null}, ${flow.code_hash ?? null}, now() + interval '10 minutes')
          returning expires_at
        ), audited as (insert into audit_outbox (draft) select ${draft(audit)} from made)
        select iso_time(expires_at) as expires_at from made`
      return row?.expires_at ?? ''
    },

    /** Takes a flow, once and in its browser alone. */
    async consume(state_hash: string, browser_hash: string): Promise<OauthFlow | undefined> {
      const [row] = await db<OauthFlow[]>`
        update oauth_flows set consumed_at = now()
        where state_hash = ${state_hash} and browser_hash = ${browser_hash} and consumed_at is null and expires_at > now()
        returning ${flowColumns}`
      return row
    },

    /** The same for a flow that has a code, which is tried five times. Undefined for a wrong one, which `refusal` records. */
    async consumeByCode(state_hash: string, code_hash: string, refusal: AuditDraft): Promise<OauthFlow | undefined> {
      const [row] = await db<OauthFlow[]>`
        with tried as (
          update oauth_flows set tries = tries + 1, consumed_at = case when code_hash = ${code_hash} then now() end
          where state_hash = ${state_hash} and ${isAwaitingCode} returning *
        ), refused as (
          insert into audit_outbox (draft)
          select jsonb_set(${draft(refusal)}, '{data,tries}', to_jsonb(tries)) from tried where consumed_at is null
        )
        select ${flowColumns} from tried where consumed_at is not null`
      return row
    },

    /** The connection of a flow that waits for its code. */
    async awaitsCode(state_hash: string): Promise<{ id: string; name: string; version: number } | undefined> {
      const [row] = await db<{ id: string; name: string; version: number }[]>`
        select c.id, c.name, f.version from oauth_flows f join connections c on c.id = f.connection_id
        where state_hash = ${state_hash} and ${isAwaitingCode}`
      return row
    },

    /** What came of a request to a provider, where nothing here changes with it. */
    async noted(audit: AuditDraft): Promise<void> {
      await db`insert into audit_outbox (draft) values (${draft(audit)})`
    },

    /** False when the connection has changed since. What was authorised before is replaced. */
    async authorize(
      {
        connection_id,
        version,
        actor,
        environment,
      }: Pick<OauthFlow, 'connection_id' | 'version' | 'actor' | 'environment'>,
      authorization: SealedTokens & { id: string },
      audit: AuditDraft,
    ): Promise<boolean> {
      const { id, scopes, kid, sealed, refreshable, expires_in_ms, refresh_in_ms } = authorization
      const will_end = !refreshable && expires_in_ms !== null
      const done = await db`
        with connection as (
          update connections set status = 'untested', last_test = null
          where id = ${connection_id} and version = ${version} returning id
        ), authorized as (
          insert into connection_grants as g (connection_id, id, environment, scopes, authorized_by, kid, sealed,
            refreshable, expires_at, refresh_at, notice, notices, notice_due_at)
          select id, ${id}, ${environment}, ${scopes}::text[], ${actor.id}, ${kid}, ${sealed}, ${refreshable},
            ${after(expires_in_ms)}, ${about(refresh_in_ms)},
            ${will_end ? 'ends' : null}, ${will_end ? 1 : 0}, ${will_end ? endNotice(after(expires_in_ms)) : null}
          from connection
          on conflict (connection_id) do update set
            id = excluded.id, environment = excluded.environment, scopes = excluded.scopes,
            authorized_by = excluded.authorized_by, authorized_at = now(), state = 'active', detail = null,
            kid = excluded.kid, sealed = excluded.sealed, tokens = 1, refreshable = excluded.refreshable,
            expires_at = excluded.expires_at, refresh_at = excluded.refresh_at,
            refresh_fence = g.refresh_fence + 1, refreshing_until = null, since = now(),
            failed_notified_at = null, unknown_notified_at = null,
            notice = excluded.notice, notices = excluded.notices, notice_due_at = excluded.notice_due_at
          returning connection_id
        ), audited as (insert into audit_outbox (draft) select ${draft(audit)} from authorized)
        select from authorized`
      return done.length > 0
    },

    /** Undefined when there are others by now. */
    async sealed(connectionId: string, version: AuthorizationVersion): Promise<string | undefined> {
      const [row] = await db<{ sealed: string }[]>`
        select sealed from connection_grants where ${isAt(connectionId, version)}`
      return row?.sealed
    },

    /** Takes the lease of a refresh that is due; the fence, or undefined while another has it. */
    async claim(connectionId: string, version: AuthorizationVersion, lease_ms: number): Promise<number | undefined> {
      const [row] = await db<{ refresh_fence: number }[]>`
        update connection_grants set refresh_fence = refresh_fence + 1, refreshing_until = ${after(lease_ms)}
        where ${isAt(connectionId, version)} and refresh_at <= now() and refreshing_until is null and state <> 'failed'
        returning refresh_fence`
      return row?.refresh_fence
    },

    /** Notes that the process of a refresh has ended: its tokens are tried again when the access token has ended. */
    async lost(connectionId: string, version: AuthorizationVersion, detail: string, audit: AuditDraft): Promise<void> {
      await db`
        with lost as (
          update connection_grants set refreshing_until = null, ${becomes('unknown')}, detail = ${detail},
            refresh_at = greatest(now(), expires_at)
          where ${isAt(connectionId, version)} and refreshing_until <= now() returning id
        ), audited as (insert into audit_outbox (draft) select ${draft(audit)} from lost)
        select from lost`
    },

    /** Stores new tokens in the place of these, also when another has the lease: they are the only good ones. False when others were. */
    async refreshed(
      connectionId: string,
      version: AuthorizationVersion,
      { scopes, kid, sealed, refreshable, expires_in_ms, refresh_in_ms }: SealedTokens,
      audit: AuditDraft,
    ): Promise<boolean> {
      const done = await db`
        with refreshed as (
          update connection_grants set tokens = tokens + 1, scopes = ${scopes}::text[], kid = ${kid}, sealed = ${sealed},
            refreshable = ${refreshable}, expires_at = ${after(expires_in_ms)}, refresh_at = ${about(refresh_in_ms)},
            ${becomes('active')}, detail = null, refreshing_until = null
          where ${isAt(connectionId, version)} returning id
        ), audited as (insert into audit_outbox (draft) select ${draft(audit)} from refreshed)
        select from refreshed`
      return done.length > 0
    },

    /**
     * Keeps what a refresh came to, unless another has overtaken it. On record where the state changes. Tokens of which it is unknown whether
     * they are good are tried again when the access token has ended.
     */
    async unrefreshed(
      connectionId: string,
      { fence, ...version }: AuthorizationVersion & { fence: number },
      { state, detail, retry_in_ms }: { state: AuthorizationState; detail: string; retry_in_ms: number },
      audit: AuditDraft,
    ): Promise<void> {
      await db`
        with before as (
          select connection_id, state as was from connection_grants
          where ${isAt(connectionId, version)} and refresh_fence = ${fence} for update
        ), kept as (
          update connection_grants g set ${becomes(state)}, detail = ${detail}, refreshing_until = null,
            refresh_at = greatest(${after(retry_in_ms)}, case when ${state} = 'unknown' then expires_at end)
          from before b where g.connection_id = b.connection_id returning b.was
        ), audited as (insert into audit_outbox (draft) select ${draft(audit)} from kept where was <> ${state})
        select from kept`
    },
  }
}

export type AuthorizationStore = ReturnType<typeof createAuthorizationStore>
