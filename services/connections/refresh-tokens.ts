import type { AuditDraft } from '#core/audit/types.ts'
import { addressOf, providerOf } from '#core/connection/kind-schema.ts'
import type { Environment } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import { DEFAULT_WORKSPACE_ID, type Ids } from '#core/id.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { Log } from '#core/log.ts'
import type { Clock } from '#core/time/time.ts'
import type { ConnectionBox } from '#platform/connection-box.ts'
import type { OAuthClient, ProviderFailure, ProviderTokens } from '#platform/oauth/oauth-client.ts'
import type { AuthorizationRow, AuthorizationStore, SealedTokens } from '#store/connections/authorizations.ts'
import type { ConnectionRow, createConnectionStore } from '#store/connections/connections.ts'
import { systemAudit } from '../audit/system-audit.ts'
import { writeWithRetry } from '../write-with-retry.ts'
import { mustHaveBox, openSecret, sealedFor } from './connection-seal.ts'

export interface TokenPorts {
  store: Pick<ReturnType<typeof createConnectionStore>, 'find' | 'sealed'>
  authorizations: Pick<AuthorizationStore, 'sealed' | 'claim' | 'lost' | 'refreshed' | 'unrefreshed'>
  box: ConnectionBox | undefined
  oauth: Pick<OAuthClient, 'refresh'>
  environments: { get(name: string): Pick<Environment, 'egress'> | undefined }
  clock: Clock
  ids: Ids
  log: Pick<Log, 'error'>
}

type Authorized = ConnectionRow & { authorization: AuthorizationRow }

/** Longer than a request to a provider may take, with its metadata. */
const LEASE_MS = 30_000
const LOOK_EVERY_MS = 100
/** a provider that hangs holds up those beside it */
const AT_ONCE = 20
/** after a failure that passes */
const RETRY_MS = 30_000
/** of a token whose provider does not say */
const ASSUMED_LIFE_S = 3_600
/** tokens that live shorter than it takes to use them are not asked for all the time */
const SOONEST_MS = 15_000

/**
 * The access token of a connection. One caller refreshes it when it is due; the others use the present one while it is good, and else wait
 * for the new one. Throws `not_configured` where it must be authorised again, `dependency_unavailable` where the provider does not answer.
 */
export async function accessToken(ports: TokenPorts, first: ConnectionRow): Promise<string> {
  const until = performance.now() + 2 * LEASE_MS
  let asked = false
  for (let row: ConnectionRow | undefined = first; ; row = await ports.store.find(first.id)) {
    // approvals cover the address and the authorization that were read first
    if (row === undefined || addressOf(row) !== addressOf(first) || row.authorization?.id !== first.authorization?.id)
      throw new DomainError('not_configured', 'it was changed at this moment')
    if (!isAuthorized(row)) throw new DomainError('not_configured', 'nobody has authorised it yet: an admin must do so')
    const { authorization } = row
    if (authorization.lost) {
      const detail = 'a process ended during a refresh: whether the provider gave new tokens is not known'
      await ports.authorizations.lost(
        row.id,
        authorization,
        detail,
        refreshAudit(ports, row, 'connection.refresh_lost', { detail }),
      )
      continue
    }
    // a provider whose tokens end at once is asked once
    const is_due = authorization.due && authorization.state !== 'failed' && !asked
    if (!is_due && !authorization.alive) throw ended(authorization)
    if (is_due && (await refreshes(ports, row))) {
      asked = true
      continue
    }
    const kept = authorization.alive ? await openTokens(ports, row) : undefined
    if (kept !== undefined) return kept.access_token
    if (performance.now() > until) throw new DomainError('dependency_unavailable', 'its refresh takes too long')
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}

/** Refreshes what is due. What comes of each is kept with it; one that cannot be refreshed holds up few others. */
export async function refreshDue(
  ports: TokenPorts & { store: Pick<ReturnType<typeof createConnectionStore>, 'list'> },
): Promise<void> {
  const due = (await ports.store.list()).filter(
    ({ authorization }) => authorization !== null && (authorization.due || authorization.lost),
  )
  for (let at = 0; at < due.length; at += AT_ONCE)
    await Promise.all(
      due.slice(at, at + AT_ONCE).map(async (row) => {
        await accessToken(ports, row).catch((err: unknown) => {
          if (err instanceof DomainError) return
          ports.log.error({ err, connection: row.id }, 'its tokens could not be refreshed')
        })
      }),
    )
}

const isAuthorized = (row: ConnectionRow): row is Authorized => row.authorization !== null

function ended({ state, detail, refreshable }: AuthorizationRow): DomainError {
  if (refreshable && state !== 'failed')
    return new DomainError('dependency_unavailable', `its access token has ended, and ${detail ?? 'no new one came'}`)
  const why = detail ?? 'the provider gave no refresh token'
  return new DomainError('not_configured', `its access token has ended (${why}): an admin authorises it again`)
}

interface Tokens {
  access_token: string
  refresh_token?: string
}

/** Undefined where others were stored in the meantime. Throws `not_configured` when no key opens them. */
export async function openTokens(
  { authorizations, box }: Pick<TokenPorts, 'authorizations' | 'box'>,
  row: Authorized,
): Promise<Tokens | undefined> {
  const sealed = await authorizations.sealed(row.id, row.authorization)
  return sealed === undefined ? undefined : JSON.parse(await mustHaveBox(box).open(sealedFor(row), sealed))
}

/** True when it asked for new tokens: they, or why there are none, are stored. False while another asks. */
async function refreshes(ports: TokenPorts, row: Authorized): Promise<boolean> {
  const [tokens, sealed_secret] = await Promise.all([openTokens(ports, row), ports.store.sealed(row.id, row.version)])
  if (tokens?.refresh_token === undefined || sealed_secret === undefined) return false
  const secret = await openSecret(ports.box, row, sealed_secret)
  const egress = ports.environments.get(row.authorization.environment)?.egress ?? []
  const fence = await ports.authorizations.claim(row.id, row.authorization, LEASE_MS)
  if (fence === undefined) return false
  const answer = await askForTokens(ports, { provider: providerOf(row), secret, egress }, tokens.refresh_token)
  if ('failure' in answer) await keepFailure(ports, row, { fence, answer })
  else
    await keepTokens(ports, row, {
      ...answer,
      // what it does not name stays as it was
      refresh_token: answer.refresh_token ?? tokens.refresh_token,
      scopes: answer.scopes ?? row.authorization.scopes,
    })
  return true
}

/**
 * Sends a refresh again at once when its answer was lost: a provider that has rotated the token takes the old one for some seconds, if at
 * all (RFC 9700 section 4.14.2), and one that has not takes it in any case.
 */
async function askForTokens(
  { oauth }: Pick<TokenPorts, 'oauth'>,
  client: Parameters<OAuthClient['refresh']>[0],
  refreshToken: string,
): Promise<ProviderTokens | ProviderFailure> {
  const first = await oauth.refresh(client, refreshToken)
  if (!('failure' in first && first.failure === 'lost')) return first
  const second = await oauth.refresh(client, refreshToken)
  // what became of the first is as unknown as before
  return 'failure' in second && STATE_AFTER[second.failure] !== 'failed' ? first : second
}

async function keepTokens(ports: TokenPorts, row: Authorized, answer: ProviderTokens): Promise<void> {
  const { id, authorization } = row
  const next = { ...row, authorization: { ...authorization, token_version: authorization.token_version + 1 } }
  const sealed = await sealTokens(mustHaveBox(ports.box), next, answer)
  const { scopes, expires_in_s = null } = { ...answer, scopes: sealed.scopes }
  const audit = refreshAudit(ports, row, 'connection.refreshed', { scopes, expires_in_s })
  let is_written = false
  // they are the only good ones: a database that is away for a moment does not lose them
  await writeWithRetry({
    write: async () => {
      await ports.authorizations.refreshed(id, authorization, sealed, audit)
      is_written = true
    },
    lost: `the new tokens of connection ${row.name}`,
    log: ports.log,
  })
  if (!is_written)
    throw new DomainError('dependency_unavailable', 'its new tokens cannot be stored now, so they are not used')
}

const STATE_AFTER = {
  invalid_grant: 'failed',
  refused: 'failed',
  lost: 'unknown',
  unavailable: 'degraded',
  unclear: 'degraded',
} as const satisfies Record<ProviderFailure['failure'], AuthorizationRow['state']>

async function keepFailure(
  ports: TokenPorts,
  row: Authorized,
  { fence, answer: { failure, detail } }: { fence: number; answer: ProviderFailure },
): Promise<void> {
  const state = STATE_AFTER[failure]
  const audit = refreshAudit(ports, row, 'connection.refresh_failed', { state, detail })
  const outcome = { state, detail, retry_in_ms: RETRY_MS } as const
  await ports.authorizations.unrefreshed(row.id, { ...row.authorization, fence }, outcome, audit)
}

/** Seals tokens, to be refreshed after about four fifths of their life. */
export async function sealTokens(
  box: ConnectionBox,
  bound: Parameters<typeof sealedFor>[0],
  { access_token, refresh_token, scopes, expires_in_s }: ProviderTokens,
): Promise<SealedTokens> {
  const text = JSON.stringify({ access_token, refresh_token })
  const life_ms = (expires_in_s ?? ASSUMED_LIFE_S) * 1_000
  const refreshable = refresh_token !== undefined
  return {
    ...(await box.seal(sealedFor(bound), text)),
    scopes: scopes ?? [],
    refreshable,
    expires_in_ms: expires_in_s === undefined ? null : expires_in_s * 1_000,
    refresh_in_ms: refreshable ? Math.max(life_ms * 0.8, SOONEST_MS) : null,
  }
}

function refreshAudit(
  ports: Pick<TokenPorts, 'clock' | 'ids'>,
  { id, name, version, authorization }: Authorized,
  action: string,
  data: JsonObject,
): AuditDraft {
  return systemAudit(ports, {
    category: 'admin',
    action,
    workspace_id: DEFAULT_WORKSPACE_ID,
    subject: { type: 'connection', id },
    data: { name, version, grant: authorization.id, ...data },
  })
}
