import type { AuditDraft } from '#core/audit/types.ts'
import { addressOf, leadsTo } from '#core/connection/kind-schema.ts'
import type { ConnectionRecord } from '#core/connection/schema.ts'
import { EVERY_WORKSPACE, isGranted } from '#core/environment/environment.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { ConnectionDraft, ConnectionRow } from '#store/connections/connections.ts'
import { authoredAudit, authorOf, digestOf } from '../authored-document.ts'
import type { ServiceContext } from '../context.ts'
import { conditionOf, problemText } from './connection-condition.ts'
import type { ConnectionContext } from './connection-ports.ts'

/** A connection as people see it: of the workspaces and environments that use it, only those that the caller may see. */
export function toConnectionRecord(ctx: ConnectionContext, row: ConnectionRow): ConnectionRecord {
  const { id, account_id, name, kind, auth, config, version, fingerprint, last_test, last_used_at } = row
  const { created_by, created_at, author, updated_at } = row
  const everywhere = ctx.actor.workspaces === '*'
  const { status, problem, grant } = conditionOf(ctx.connection_ports.box, row)
  const workspaces = row.workspaces.filter(
    (slug) => everywhere || slug === EVERY_WORKSPACE || slug === ctx.workspace_slug,
  )
  // a digest over workspaces that the caller may not see would let them guess these
  const seen = { ...row, workspaces }
  return {
    id,
    account_id,
    name,
    kind,
    auth,
    config,
    leads_to: leadsTo(row),
    secret: { set: fingerprint !== null, ...(fingerprint !== null && { fingerprint }) },
    workspaces,
    status,
    ...(problem !== undefined && { problem: problemText(problem) }),
    ...(grant !== undefined && { grant }),
    ...(last_test !== null && { last_test }),
    version,
    bound_by: bindingsOf(ctx, row)
      .filter(({ grants }) => everywhere || grants)
      .map(({ grants: _, ...bound }) => bound),
    ...(last_used_at !== null && { last_used_at }),
    created_by,
    created_at,
    author,
    updated_at,
    digest: digestOf(ctx, textOf(seen)),
    etag: etagOf(ctx, seen),
  }
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
