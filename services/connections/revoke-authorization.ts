import type { AuditDraft } from '#core/audit/types.ts'
import { providerOf } from '#core/connection/kind-schema.ts'
import { DomainError } from '#core/errors.ts'
import type { ConnectionRow } from '#store/connections/connections.ts'
import { auditBy } from '../audit/read-audit.ts'
import type { ConnectionContext } from './connection-ports.ts'
import { openSecret } from './connection-seal.ts'
import { openTokens } from './refresh-tokens.ts'

/** What a provider is asked to end, opened before it is dropped here. */
type Dropped = { secret: string; token: string; hint: 'access_token' | 'refresh_token' } | { problem: string }

/** The token of an authorisation that is about to be dropped; undefined without one. */
export async function openDropped(
  { connection_ports: ports }: ConnectionContext,
  row: ConnectionRow,
): Promise<Dropped | undefined> {
  const { authorization } = row
  if (authorization === null) return undefined
  try {
    const [tokens, sealed] = await Promise.all([
      openTokens(ports, { ...row, authorization }),
      ports.store.sealed(row.id, row.version),
    ])
    if (tokens === undefined || sealed === undefined) return { problem: 'it was changed at this moment' }
    const secret = await openSecret(ports.box, row, sealed)
    const { access_token, refresh_token } = tokens
    return refresh_token === undefined
      ? { secret, token: access_token, hint: 'access_token' }
      : { secret, token: refresh_token, hint: 'refresh_token' }
  } catch (error) {
    if (error instanceof DomainError) return { problem: error.message }
    throw error
  }
}

/** Ends at its provider (RFC 7009) what was dropped here. Nobody waits for it; what came of it is on record. */
export function revokeDropped(ctx: ConnectionContext, row: ConnectionRow, dropped: Dropped | undefined): void {
  if (dropped === undefined) return
  void revoke(ctx, row, dropped).catch((err: unknown) => {
    ctx.connection_ports.log.error({ err, connection: row.id }, 'it is not known whether its authorisation was revoked')
  })
}

async function revoke(ctx: ConnectionContext, row: ConnectionRow, dropped: Dropped): Promise<void> {
  const problem = 'problem' in dropped ? dropped.problem : await problemAt(ctx, row, dropped)
  const audit = revocationAudit(ctx, row, {
    action: problem === undefined ? 'connection.revoked' : 'connection.revocation_failed',
    problem,
  })
  await ctx.connection_ports.authorizations.noted(audit)
}

/** A drop is on record before its end at the provider: the process may end before the provider answers. */
export function revocationAudit(
  ctx: ConnectionContext,
  { id, name, version, authorization }: ConnectionRow,
  { action, problem }: { action: string; problem?: string | undefined },
): AuditDraft {
  return auditBy(ctx, {
    category: 'admin',
    action,
    workspace_id: ctx.workspace_id,
    subject: { type: 'connection', id },
    data: { name, version, grant: authorization?.id ?? null, ...(problem !== undefined && { detail: problem }) },
  })
}

async function problemAt(
  ctx: ConnectionContext,
  row: ConnectionRow,
  { secret, ...token }: Exclude<Dropped, { problem: string }>,
): Promise<string | undefined> {
  const { store, oauth } = ctx.connection_ports
  const provider = providerOf(row)
  // many providers end all that a person has authorised for a client at once
  const other = (await store.list()).find(
    (each) => each.id !== row.id && each.authorization !== null && isSameClient(providerOf(each), provider),
  )
  if (other !== undefined) return `connection ${other.name} signs in as the same client, and might end with it`
  const egress = ctx.environments.get(row.authorization?.environment ?? '')?.egress ?? []
  const found = await oauth.revoke({ provider, secret, egress }, token)
  if (found === 'revoked') return undefined
  return found === 'unsupported' ? 'the provider names no endpoint that revokes' : found.detail
}

type Client = ReturnType<typeof providerOf>
const isSameClient = (one: Client, other: Client) => one.issuer === other.issuer && one.client_id === other.client_id
