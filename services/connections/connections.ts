import {
  addressOf,
  CONNECTION_FORMS,
  type ConnectionSettings,
  checkSettings,
  defaultAuth,
  keepsAuthorization,
} from '#core/connection/kind-schema.ts'
import type { ConnectionDraft, ConnectionEdit, ConnectionRecord } from '#core/connection/schema.ts'
import { isGranted } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import { DEFAULT_WORKSPACE_SLUG } from '#core/id.ts'
import { canonicalText } from '#core/json/canonical.ts'
import { type JsonObject, jsonPointer } from '#core/json/json.ts'
import type { SealedSecret } from '#store/connections/authorizations.ts'
import type { ConnectionRow } from '#store/connections/connections.ts'
import { mustBeOfAll } from '../auth/may.ts'
import { defineAuthored } from '../authored/define-authored.ts'
import { authorOf, limitReached, overtaken } from '../authored-document.ts'
import type { ConnectionContext } from './connection-ports.ts'
import { bindingsOf, connectionAudit, etagOf, toConnectionRecord } from './connection-record.ts'
import { mustHaveBox, openSecret, sealedFor } from './connection-seal.ts'
import { openDropped, revocationAudit, revokeDropped } from './revoke-authorization.ts'

const MAX_CONNECTIONS = 200

type Found = ConnectionRow & { etag: string }

/** A checked connection, and its secret as it will be stored; undefined where the stored one stays. */
interface Kept extends ConnectionSettings {
  id: string
  name: string
  workspaces: string[]
  version: number
  fingerprint: string | null
  secret: SealedSecret | undefined
  keeps_authorization: boolean
}

const asFound = (ctx: ConnectionContext, row: ConnectionRow): Found => ({ ...row, etag: etagOf(ctx, row) })

const authored = defineAuthored({
  needs: { role: 'admin', access: 'write', scope: 'account' },
  auth: (ctx: ConnectionContext) => mustBeOfAll(ctx.actor),

  async list(ctx, _query: Record<string, never>): Promise<Found[]> {
    const rows = await ctx.connection_ports.store.list()
    return rows.filter((row) => isSeen(ctx, row)).map((row) => asFound(ctx, row))
  },

  async find(ctx, id: string): Promise<Found> {
    const row = await ctx.connection_ports.store.find(id)
    if (row === undefined || !isSeen(ctx, row)) throw new DomainError('not_found', 'there is no such connection')
    return asFound(ctx, row)
  },

  record: (ctx, found) => toConnectionRecord(ctx, found),

  async lint(ctx, draft: ConnectionDraft): Promise<Kept> {
    const { name, secret, workspaces = [DEFAULT_WORKSPACE_SLUG] } = draft
    const settings = editedSettings(undefined, draft)
    const id = ctx.ids.next('connection')
    mustFitSecret(settings, secret, secret === undefined)
    const sealed = await sealSecret(ctx, { id, version: 1, ...settings }, secret)
    return {
      ...settings,
      id,
      name,
      workspaces: await knownSlugs(ctx, workspaces),
      version: 1,
      keeps_authorization: false,
      ...sealed,
    }
  },

  async lintEdit(ctx, edit: ConnectionEdit, before): Promise<Kept> {
    const settings = editedSettings(before, edit)
    const is_elsewhere = canonicalText(settings) !== canonicalText(settingsOf(before))
    const { id, name } = before
    const workspaces = edit.workspaces === undefined ? before.workspaces : await knownSlugs(ctx, edit.workspaces)
    const kept = { ...settings, id, name, workspaces, keeps_authorization: keepsAuthorization(before, settings) }
    if (!is_elsewhere && edit.secret === undefined) return { ...kept, version: before.version, ...stays(before) }
    const version = before.version + 1
    const sealed = await sealSecret(
      ctx,
      { id, version, ...settings },
      await secretFor(ctx, before, { settings, ...edit }),
    )
    const fingerprint = edit.secret === undefined && sealed.secret ? before.fingerprint : sealed.fingerprint
    return { ...kept, version, secret: sealed.secret, fingerprint }
  },

  loosened: async () => undefined,

  async save(ctx, before, after): Promise<Found> {
    const row = await (before === undefined ? create(ctx, after) : change(ctx, before, after))
    return asFound(ctx, row)
  },

  async remove(ctx, before): Promise<void> {
    await ctx.connection_ports.refresh()
    const bound_by = bindingsOf(ctx, before).map(({ environment, name }) => ({ environment, name }))
    if (bound_by.length > 0) {
      const names = [...new Set(bound_by.map(({ environment }) => environment))].join(', ')
      throw new DomainError('conflict', `The environments ${names} refer to it; change those first.`, { bound_by })
    }
    const audit = connectionAudit(ctx, { action: 'connection.deleted', before })
    const tokens = await openDropped(ctx, before)
    const dropped = revocationAudit(ctx, before, { action: 'connection.authorization_dropped' })
    if (!(await ctx.connection_ports.store.remove(before, { audit, dropped }))) throw overtaken()
    revokeDropped(ctx, before, tokens)
  },

  made: ({ subject }) => ({ key: subject.id }),
})

/** Connections of the account. Runs of the workspaces that it is granted to use it, where an environment refers to it. */
export const connections = {
  ...authored,
  /** With its uses, of the runs that the caller may see. */
  async get(ctx: ConnectionContext, id: string): Promise<ConnectionRecord> {
    const { actor, connection_ports, workspace_id } = ctx
    const [found, uses_per_day] = await Promise.all([
      authored.get(ctx, id),
      connection_ports.store.usesPerDay(id, actor.workspaces === '*' ? undefined : workspace_id),
    ])
    return { ...found, uses_per_day }
  },
}

/** The kinds that a connection can have, as a form is drawn from them. */
export function listConnectionKinds() {
  return CONNECTION_FORMS
}

/** What the caller's workspace may use, or everything for who may enter all. */
export function isSeen({ actor, workspace_slug }: ConnectionContext, row: ConnectionRow): boolean {
  return actor.workspaces === '*' || isGranted(row, workspace_slug)
}

const settingsOf = ({ kind, auth, config }: ConnectionSettings): ConnectionSettings => ({ kind, auth, config })
const stays = ({ fingerprint }: ConnectionRow) => ({ secret: undefined, fingerprint })

/** The settings that an edit leads to. Throws `validation_failed`. */
export function editedSettings(
  before: ConnectionSettings | undefined,
  { kind, auth, config }: Pick<ConnectionEdit, 'kind' | 'auth' | 'config'>,
): ConnectionSettings {
  const chosen = kind ?? before?.kind ?? 'http'
  const kept = chosen === before?.kind ? before.auth : defaultAuth(chosen)
  return mustBeSettings({ kind: chosen, auth: auth ?? kept, config: (config as JsonObject) ?? before?.config ?? {} })
}

function mustBeSettings(draft: ConnectionSettings): ConnectionSettings {
  const checked = checkSettings(settingsOf(draft))
  if ('settings' in checked) return checked.settings
  const errors = checked.faults.map(({ path, message }) => ({
    pointer: jsonPointer(path),
    loc: path,
    msg: message,
    type: 'connection',
  }))
  throw new DomainError('validation_failed', errors.map(({ pointer, msg }) => `${pointer}: ${msg}`).join('; '), {
    errors,
  })
}

/**
 * The secret for edited settings: the given one, or the stored one where its receiver stays the same. Throws `secret_required`: a stored
 * secret is never sent elsewhere.
 */
export async function secretFor(
  ctx: ConnectionContext,
  before: ConnectionRow | undefined,
  { settings, secret }: { settings: ConnectionSettings; secret?: string | undefined },
): Promise<string | undefined> {
  const may_stay = before !== undefined && before.auth !== 'none' && addressOf(before) === addressOf(settings)
  mustFitSecret(settings, secret, secret === undefined && !may_stay)
  return secret ?? (may_stay ? await storedSecret(ctx, before) : undefined)
}

function mustFitSecret({ auth }: ConnectionSettings, secret: string | undefined, is_missing: boolean): void {
  if (auth === 'none' && secret !== undefined) {
    const msg = 'without authentication there is no secret; leave it out, or say how it signs in'
    throw new DomainError('validation_failed', `/secret: ${msg}`, {
      errors: [{ pointer: '/secret', loc: ['secret'], msg, type: 'connection' }],
    })
  }
  if (auth !== 'none' && is_missing)
    throw new DomainError(
      'secret_required',
      'Give the secret with it, or say that there is none (auth: none). A stored one is never sent to another address.',
    )
}

async function storedSecret(
  { connection_ports: { store, box } }: ConnectionContext,
  row: ConnectionRow,
): Promise<string> {
  const sealed = await store.sealed(row.id, row.version)
  if (sealed === undefined) throw overtaken()
  return await openSecret(box, row, sealed)
}

/** Throws `not_configured` without a key. */
async function sealSecret(
  { connection_ports: { box } }: ConnectionContext,
  row: ConnectionSettings & { id: string; version: number },
  secret: string | undefined,
): Promise<{ secret: SealedSecret | undefined; fingerprint: string | null }> {
  if (secret === undefined) return { secret: undefined, fingerprint: null }
  const ring = mustHaveBox(box)
  return {
    secret: await ring.seal(sealedFor({ ...row, authorization: null }), secret),
    fingerprint: ring.fingerprint(secret),
  }
}

/** Throws `validation_failed` for a workspace that does not exist. */
async function knownSlugs({ connection_ports }: ConnectionContext, slugs: string[]): Promise<string[]> {
  const known = await connection_ports.slugs()
  const unknown = slugs.filter((slug) => slug !== '*' && !known.includes(slug))
  if (unknown.length === 0) return [...new Set(slugs)].sort()
  const msg = `there is no workspace ${unknown.join(', ')}`
  throw new DomainError('validation_failed', `/workspaces: ${msg}`, {
    errors: [{ pointer: '/workspaces', loc: ['workspaces'], msg, type: 'connection' }],
  })
}

async function create(ctx: ConnectionContext, after: Kept): Promise<ConnectionRow> {
  const { secret, keeps_authorization: _none, ...settings } = after
  const draft = { ...settings, account_id: ctx.actor.account_id, author: authorOf(ctx) }
  const audit = connectionAudit(ctx, { action: 'connection.created', after: draft })
  const { store } = ctx.connection_ports
  const row = await store.create(draft, secret, { most: MAX_CONNECTIONS, audit })
  if (row !== undefined) return row
  if ((await store.find(after.name)) === undefined) throw limitReached(MAX_CONNECTIONS, 'connections')
  throw new DomainError('conflict', `There is a connection ${after.name} already.`)
}

async function change(ctx: ConnectionContext, before: ConnectionRow, after: Kept): Promise<ConnectionRow> {
  const audit = connectionAudit(ctx, {
    action: 'connection.updated',
    before,
    after: { ...after, account_id: before.account_id, author: authorOf(ctx) },
  })
  const tokens = after.keeps_authorization ? undefined : await openDropped(ctx, before)
  const dropped = revocationAudit(ctx, before, { action: 'connection.authorization_dropped' })
  const row = await ctx.connection_ports.store.change(before, { ...after, author: authorOf(ctx) }, { audit, dropped })
  if (row === undefined) throw overtaken()
  revokeDropped(ctx, before, tokens)
  return row
}
