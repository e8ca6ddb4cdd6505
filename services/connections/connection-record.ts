import type { AuditDraft } from '#core/audit/types.ts'
import { addressOf, type ConnectionSettings, leadsTo, providerOf } from '#core/connection/kind-schema.ts'
import type { ConnectionRecord } from '#core/connection/schema.ts'
import { EVERY_WORKSPACE, isGranted } from '#core/environment/environment.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { ConnectionDraft, ConnectionRow } from '#store/connections/connections.ts'
import { authoredAudit, authorOf, digestOf } from '../authored-document.ts'
import type { ServiceContext } from '../context.ts'
import type { ConnectionContext } from './connection-ports.ts'

/** A connection as people see it: of the workspaces and environments that use it, only those that the caller may see. */
export function toConnectionRecord(ctx: ConnectionContext, row: ConnectionRow): ConnectionRecord {
  const { id, account_id, name, kind, auth, config, version, fingerprint, last_test, last_used_at } = row
  const { created_by, created_at, author, updated_at } = row
  const everywhere = ctx.actor.workspaces === '*'
  const { status, problem, grant } = conditionOf(ctx, row)
  const workspaces = row.workspaces.filter(
    (slug) => everywhere || slug === EVERY_WORKSPACE || slug === ctx.workspace_slug,
  )
  // a digest over workspaces that the caller may not see would let them guess these
  const seen = { ...row, workspaces }
  return {
    ...{ id, account_id, name, kind, auth, config },
    leads_to: leadsTo(row),
    secret: { set: fingerprint !== null, ...(fingerprint !== null && { fingerprint }) },
    workspaces,
    status,
    ...(problem !== undefined && { problem }),
    ...(grant !== undefined && { grant }),
    ...(last_test !== null && { last_test }),
    version,
    bound_by: bindingsOf(ctx, row)
      .filter(({ grants }) => everywhere || grants)
      .map(({ grants: _, ...bound }) => bound),
    ...(last_used_at !== null && { last_used_at }),
    ...{ created_by, created_at, author, updated_at },
    digest: digestOf(ctx, textOf(seen)),
    etag: etagOf(ctx, seen),
  }
}

type Condition = Pick<ConnectionRecord, 'status' | 'problem' | 'grant'>

/** Whether it can be used, and why not, by what is known without asking. */
function conditionOf({ connection_ports: { box } }: ConnectionContext, row: ConnectionRow): Condition {
  const lost = [row.kid, row.authorization?.kid].find((kid) => typeof kid === 'string' && box?.has(kid) !== true)
  const { grant, ...condition } = authorizationCondition(row)
  if (lost === undefined) return { ...condition, ...(grant !== undefined && { grant }) }
  const problem = `its secret was sealed with key ${lost}, which is not among SVC_SECRET_KEYS: bring the key back, or set the secret again`
  return { status: 'failed', problem, ...(grant !== undefined && { grant }) }
}

const AGAIN = 'an admin authorises it again'

function authorizationCondition(row: ConnectionRow): Condition {
  const { status } = row
  if (row.auth !== 'oauth2') return { status }
  if (row.authorization === null)
    return { status: 'failed', problem: 'nobody has authorised it yet: an admin must do so' }
  const {
    id: _id,
    kid: _kid,
    token_version: _version,
    environment: _environment,
    alive,
    due: _due,
    lost,
    ...shown
  } = row.authorization
  const { expires_at, detail, ...rest } = shown
  const missing_scopes = missingScopes(row, rest.scopes)
  const grant = {
    ...{ ...rest, missing_scopes, state: lost ? ('unknown' as const) : rest.state },
    ...(detail !== null && { detail }),
    ...(expires_at !== null && { expires_at }),
  }
  if (grant.state === 'failed') return { status: 'failed', problem: `${detail}: ${AGAIN}`, grant }
  if (!alive && !grant.refreshable)
    return { status: 'failed', problem: `its access token has ended, and there is no refresh token: ${AGAIN}`, grant }
  if (!alive && grant.state !== 'active')
    return { status: 'failed', problem: `its access token has ended: ${detail}`, grant }
  const worse = status === 'failed' ? status : 'degraded'
  if (grant.state !== 'active')
    return { status: worse, problem: detail ?? 'a refresh did not end: it is tried again', grant }
  if (missing_scopes.length > 0)
    return { status: worse, problem: `the provider has not granted ${missing_scopes.join(', ')}`, grant }
  if (!grant.refreshable && expires_at !== null)
    return { status, problem: `it ends at ${expires_at}, and there is no refresh token: ${AGAIN}`, grant }
  return { status, grant }
}

/** Scopes that were asked for and not granted. Many providers do not name `offline_access`, which the refresh token shows. */
export function missingScopes(
  settings: Pick<ConnectionSettings, 'auth' | 'config'>,
  granted: readonly string[],
): string[] {
  return providerOf(settings).scopes.filter((scope) => scope !== 'offline_access' && !granted.includes(scope))
}

/** Environments that refer to it, and whether the caller's workspace may use them. */
export function bindingsOf(
  { environments, workspace_slug }: Pick<ServiceContext, 'environments' | 'workspace_slug'>,
  { id, name }: Pick<ConnectionRow, 'id' | 'name'>,
): { environment: string; name: string; grants: boolean }[] {
  const references = [`connection:${name}`, `connection:${id}`]
  return environments.list().flatMap((environment) => {
    const bound = Object.entries(environment.connections).flatMap(([at, { url }]) =>
      references.includes(url) ? [at] : [],
    )
    const stores = environment.backends?.object_connection === name ? ['backends.object_store'] : []
    const grants = isGranted(environment, workspace_slug)
    return [...bound, ...stores].map((at) => ({ environment: environment.name, name: at, grants }))
  })
}

/** All that can be changed of a connection, the secret by its fingerprint: audit records have its digest. */
function textOf({
  kind,
  auth,
  config,
  workspaces,
  fingerprint,
}: Pick<ConnectionDraft, 'workspaces' | 'fingerprint' | 'kind' | 'auth' | 'config'>): string {
  return canonicalText({ kind, auth, config, workspaces, fingerprint })
}

/** Changes with every part that can be changed. */
export function etagOf(ctx: Pick<ServiceContext, 'sha256'>, row: ConnectionRow): string {
  return `"${digestOf(ctx, canonicalText([row.version, row.workspaces]))}"`
}

/** Drafts the record of a change: where it leads, who may use it, and of the secret its fingerprint. */
export function connectionAudit(
  ctx: ServiceContext,
  { action, before, after }: { action: string; before?: ConnectionRow; after?: ConnectionDraft & { version?: number } },
): AuditDraft {
  const row = after ?? before
  return authoredAudit(ctx, {
    action,
    subject: { type: 'connection', id: row?.id ?? '' },
    before: before && textOf(before),
    after: after && textOf(after),
    data: {
      name: row?.name ?? '',
      kind: row?.kind ?? null,
      address: row === undefined ? null : addressOf(row),
      workspaces: row?.workspaces ?? [],
      version: after?.version ?? before?.version ?? 1,
      fingerprint: row?.fingerprint ?? null,
      author: authorOf(ctx),
    },
  })
}
