import type { AuditActor, AuditDraft } from '#core/audit/types.ts'
import { addressOf, providerOf } from '#core/connection/kind-schema.ts'
import { DomainError } from '#core/errors.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { ProviderTokens } from '#platform/oauth/oauth-client.ts'
import type { OauthFlow } from '#store/connections/authorizations.ts'
import type { ConnectionRow } from '#store/connections/connections.ts'
import { auditBy } from '../audit/read-audit.ts'
import { systemAudit } from '../audit/system-audit.ts'
import { mustBeOfAll } from '../auth/may.ts'
import { defineVerb } from '../define-verb.ts'
import { chooseEnvironment } from '../runs/choose-environment.ts'
import { missingScopes } from './connection-condition.ts'
import type { ConnectionContext } from './connection-ports.ts'
import { mustHaveBox, openSecret } from './connection-seal.ts'
import { sealTokens } from './refresh-tokens.ts'

/**
 * An authorisation that has begun. `browser` is kept by the browser that began it, under the name that `flow` gives; `code` is shown by a
 * terminal, in the place of that.
 */
export interface StartedFlow {
  authorization_url: string
  expires_at: string
  flow: string
  browser?: string
  code?: string
}

interface Start {
  id: string
  environment?: string | undefined
  confirm?: 'browser' | 'code' | undefined
}

const shownCode = (code: string) => `${code.slice(0, 4)}-${code.slice(4)}`
/** Bound to its flow: a code is short. */
const codeText = (state: string, code: string) => `${state} ${code.toUpperCase().replace(/[^A-Z0-9]/g, '')}`

/**
 * Begins an authorisation: a person consents at the provider, in the browser that began it. Throws `conflict` for a connection that does
 * not sign in by OAuth, `dependency_unavailable` where the provider cannot be asked.
 */
export const authorizeConnection = defineVerb(
  { role: 'admin', access: 'write', scope: 'account' },
  async (ctx: ConnectionContext, { id, environment: named, confirm }: Start) => {
    mustBeOfAll(ctx.actor)
    const { store, authorizations, oauth, box, redirect_uri } = ctx.connection_ports
    const { environment } = chooseEnvironment(ctx, named === undefined ? {} : { environment: named })
    const row = await store.find(id)
    if (row === undefined) throw new DomainError('not_found', 'there is no such connection')
    if (row.auth !== 'oauth2') throw new DomainError('conflict', `${row.name} does not sign in by OAuth 2.`)
    const provider = providerOf(row)
    const { state, verifier, browser, code: typed } = oauth.flowSecrets()
    const code = confirm === 'code' ? typed : undefined
    const found = await oauth.authorizationUrl(
      { provider, egress: environment.egress },
      { state, verifier, redirect_uri },
    )
    if ('failure' in found)
      throw new DomainError('dependency_unavailable', `It cannot be authorised now: ${found.detail}.`)
    const state_hash = ctx.sha256(state)
    const { type, id: by, auth, key, token_version = null } = ctx.actor
    const bound = { id: state_hash, version: row.version, address: addressOf(row) }
    const { sealed: pkce_sealed } = await mustHaveBox(box).seal(bound, verifier)
    const expires_at = await authorizations.begin(
      {
        state_hash,
        connection_id: row.id,
        version: row.version,
        actor: { type, id: by, auth },
        pkce_sealed,
        key_id: key?.id ?? null,
        token_version,
        environment: environment.name,
        issuer: provider.issuer,
        redirect_uri,
        ...(code === undefined
          ? { browser_hash: ctx.sha256(browser) }
          : { code_hash: ctx.sha256(codeText(state, code)) }),
      },
      auditBy(ctx, {
        category: 'admin',
        action: 'connection.authorization_started',
        workspace_id: ctx.workspace_id,
        subject: { type: 'connection', id: row.id },
        data: { name: row.name, version: row.version, issuer: provider.issuer, environment: environment.name },
      }),
    )
    const begun = { authorization_url: found.url, expires_at, flow: flowName(state_hash) }
    const started: StartedFlow = code === undefined ? { ...begun, browser } : { ...begun, code: shownCode(code) }
    return started
  },
)

/** Names the cookie of a flow, so that a second one in the same browser has its own. */
const flowName = (stateHash: string) => stateHash.slice(0, 12)

/** What came of a callback, for a page that says what to do. */
export type Authorization =
  | { outcome: 'authorized'; name: string; missing_scopes: string[] }
  /** used, expired, unknown, or begun in another browser: nobody learns which */
  | { outcome: 'unusable' }
  /** it takes the code that the terminal shows; `is_wrong`: another one was given */
  | { outcome: 'code_needed'; name: string; is_wrong: boolean }
  | { outcome: 'denied' | 'changed' | 'not_allowed' | 'signed_out' | 'refused' | 'unavailable'; name: string }

interface Callback {
  /** the parameters as they came, after a `?` */
  search: string
  state: string
}

/**
 * Ends a flow in the browser that began it. A flow begun in a terminal does not end here: it needs the code, which only a POST carries
 * (`confirmAuthorization`).
 */
export async function completeAuthorization(
  ctx: ConnectionContext,
  { browserOf, ...callback }: Callback & { browserOf(flow: string): string | undefined },
): Promise<Authorization> {
  const { authorizations } = ctx.connection_ports
  const state_hash = ctx.sha256(callback.state)
  const browser = browserOf(flowName(state_hash))
  const flow = browser === undefined ? undefined : await authorizations.consume(state_hash, ctx.sha256(browser))
  if (flow !== undefined) return await complete(ctx, flow, { ...callback, state_hash })
  const asked = await askForCode(ctx, { state_hash, is_wrong: false })
  const refusal = refusalIn(callback.search)
  // shown, and nothing ends: anybody could have led the browser here
  return asked.outcome === 'code_needed' && refusal !== undefined ? { outcome: refusal, name: asked.name } : asked
}

/** What a provider says in place of a code; undefined where there is one. */
function refusalIn(search: string): 'denied' | 'refused' | undefined {
  const error = new URLSearchParams(search).get('error')
  if (error === null) return undefined
  return error === 'access_denied' ? 'denied' : 'refused'
}

/** Ends a flow of a terminal by the code that it shows. `by` types it in, as far as that is known. */
export async function confirmAuthorization(
  ctx: ConnectionContext,
  { code, by, ...callback }: Callback & { code: string; by: AuditActor },
): Promise<Authorization> {
  const { authorizations } = ctx.connection_ports
  const state_hash = ctx.sha256(callback.state)
  const waiting = await authorizations.awaitsCode(state_hash)
  if (waiting === undefined) return { outcome: 'unusable' }
  const refusal = codeRefusal(ctx, { ...waiting, by })
  const flow = await authorizations.consumeByCode(state_hash, ctx.sha256(codeText(callback.state, code)), refusal)
  return flow === undefined
    ? await askForCode(ctx, { state_hash, is_wrong: true })
    : await complete(ctx, flow, { ...callback, state_hash })
}

async function askForCode(
  { connection_ports: { authorizations } }: ConnectionContext,
  { state_hash, is_wrong }: { state_hash: string; is_wrong: boolean },
): Promise<Authorization> {
  const waiting = await authorizations.awaitsCode(state_hash)
  return waiting === undefined ? { outcome: 'unusable' } : { outcome: 'code_needed', name: waiting.name, is_wrong }
}

/** Trades the code of the provider for tokens, and stores them. The issuer is that of the flow. */
async function complete(
  ctx: ConnectionContext,
  flow: OauthFlow,
  { search, state, state_hash }: Callback & { state_hash: string },
): Promise<Authorization> {
  const { store, authorizations, whyNotAllowed } = ctx.connection_ports
  const row = await store.find(flow.connection_id)
  if (row === undefined) return { outcome: 'unusable' }
  const unless = async (
    outcome: Exclude<Authorization['outcome'], 'authorized' | 'unusable' | 'code_needed'>,
    detail?: string,
  ) => {
    const data = { outcome, ...(detail !== undefined && { detail }) }
    await authorizations.noted(flowAudit(ctx, { flow, row, action: 'connection.authorization_failed', data }))
    return { outcome, name: row.name }
  }
  const refusal = await whyNotAllowed(flow)
  if (refusal !== undefined) return await unless(refusal)
  if (row.version !== flow.version) return await unless('changed')
  const refused = refusalIn(search)
  if (refused !== undefined) return await unless(refused)
  const answer = await exchange(ctx, { flow, row, state, state_hash, search })
  if ('failure' in answer)
    return await unless(answer.failure === 'unavailable' ? 'unavailable' : 'refused', answer.detail)
  // checked again: the exchange takes seconds
  const lateRefusal = await whyNotAllowed(flow)
  if (lateRefusal !== undefined) return await unless(lateRefusal)
  const kept = await keepAuthorization(ctx, { flow, row, answer })
  return kept ?? (await unless('changed'))
}

interface Flowing {
  flow: OauthFlow
  row: ConnectionRow
}

async function exchange(
  ctx: ConnectionContext,
  { flow, row, search, state, state_hash }: Flowing & { search: string; state: string; state_hash: string },
) {
  const { store, box, oauth } = ctx.connection_ports
  const sealed = await store.sealed(row.id, row.version)
  if (sealed === undefined) throw new Error('a connection with OAuth has a secret')
  const bound = { id: state_hash, version: row.version, address: addressOf(row) }
  const [secret, verifier] = await Promise.all([
    openSecret(box, row, sealed),
    mustHaveBox(box).open(bound, flow.pkce_sealed),
  ])
  const egress = ctx.environments.get(flow.environment)?.egress ?? []
  const provider = { ...providerOf(row), issuer: flow.issuer }
  return await oauth.exchange({ provider, secret, egress }, { state, verifier, callback: flow.redirect_uri + search })
}

async function keepAuthorization(
  ctx: ConnectionContext,
  { flow, row, answer }: Flowing & { answer: ProviderTokens },
): Promise<Authorization | undefined> {
  const { authorizations, box } = ctx.connection_ports
  const authorization = { id: ctx.ids.next('authorization'), token_version: 1 }
  // a provider that names no scope has granted what was asked for (RFC 6749 section 5.1)
  const scopes = answer.scopes ?? providerOf(row).scopes
  const tokens = await sealTokens(mustHaveBox(box), { ...row, authorization }, { ...answer, scopes })
  const data = { grant: authorization.id, issuer: flow.issuer, environment: flow.environment, scopes }
  const audit = flowAudit(ctx, { flow, row, action: 'connection.authorized', data })
  if (!(await authorizations.authorize(flow, { ...tokens, id: authorization.id }, audit))) return undefined
  return { outcome: 'authorized', name: row.name, missing_scopes: missingScopes(row, scopes) }
}

/** The record of a code that is not the one of the terminal. The number of tries is added as it is counted. */
function codeRefusal(
  ctx: ConnectionContext,
  { id, by, ...data }: { id: string; name: string; version: number; by: AuditActor },
): AuditDraft {
  return systemAudit(ctx, {
    category: 'admin',
    action: 'connection.code_refused',
    workspace_id: DEFAULT_WORKSPACE_ID,
    actor: by,
    subject: { type: 'connection', id },
    data,
  })
}

/** The record of what a callback did, in the name of who began it. */
function flowAudit(
  ctx: ConnectionContext,
  { flow, row, action, data }: Flowing & { action: string; data: JsonObject },
): AuditDraft {
  return systemAudit(ctx, {
    category: 'admin',
    action,
    workspace_id: DEFAULT_WORKSPACE_ID,
    actor: flow.actor,
    subject: { type: 'connection', id: row.id },
    data: { name: row.name, version: row.version, ...data },
  })
}
