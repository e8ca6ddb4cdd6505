import type { SettingLayers } from '#core/environment/console-schema.ts'
import { DomainError } from '#core/errors.ts'
import type { SettingLayer } from '#platform/environments/environment-source.ts'
import type { AuthoredRow } from '#store/authored/authored.ts'
import { EVERYWHERE } from '#store/authored/console-documents.ts'
import { digestOf, problemsOf } from '../authored-document.ts'
import type { SettingContext, SettingKind } from './setting-ports.ts'

/** The current value of a setting, and the console's document of it. */
export interface SettingState<Value> {
  name: string
  row: AuthoredRow | undefined
  /** undefined while it is not there, or shut */
  value: Value | undefined
  etag: string
}

/** Returns the state of a setting, by its stored text and the files that this process has loaded. */
export async function stateOf<Value extends { name: string }, Document extends { name: string }, Shown>(
  ctx: SettingContext,
  kind: SettingKind<Value, Document, Shown>,
  name: string,
  row: AuthoredRow | undefined,
): Promise<SettingState<Value>> {
  const document = row === undefined ? undefined : (await kind.lint(row.document)).value
  const value = row !== undefined && document === undefined ? undefined : kind.composed(document, name)
  return { name, row, value, etag: `"${digestOf(ctx, JSON.stringify([value ?? null, row?.document ?? null]))}"` }
}

/** Throws `not_found` for a setting that does not exist, or is hidden from the caller. */
export async function findSetting<Value extends { name: string }, Document extends { name: string }, Shown>(
  ctx: SettingContext,
  kind: SettingKind<Value, Document, Shown>,
  name: string,
): Promise<SettingState<Value>> {
  const row = await ctx.setting_ports.stores[kind.kind].find(EVERYWHERE, name)
  const state = await stateOf(ctx, kind, name, row)
  const isThere = state.value === undefined ? row !== undefined && isDeployments(ctx) : kind.isSeen(state.value)
  if (!isThere) throw new DomainError('not_found', `there is no such ${kind.kind}`)
  return state
}

/** A user of all workspaces sees the document; others see the values for their own. */
export async function toSettingRecord<Value extends { name: string }, Document extends { name: string }, Shown>(
  ctx: SettingContext,
  kind: SettingKind<Value, Document, Shown>,
  { name, row, value, etag }: SettingState<Value>,
): Promise<Shown & SettingLayers> {
  if (value === undefined)
    throw new DomainError('conflict', `The ${kind.kind} ${name} cannot be read; repair it first.`)
  // the row is newer than what this process last followed
  const below = ctx.setting_ports.source.layers(kind.kind, name).filter((layer) => layer !== 'console')
  const layers: SettingLayer[] = row === undefined ? below : [...below, 'console']
  if (row === undefined || !isDeployments(ctx)) return { ...kind.shown(value), layers, problems: [], etag }
  const { document, author, updated_at } = row
  const problems = problemsOf((await kind.lint(document)).faults)
  return { ...kind.shown(value), layers, document, author, updated_at, digest: digestOf(ctx, document), problems, etag }
}

export function isDeployments({ actor }: Pick<SettingContext, 'actor'>): boolean {
  return actor.workspaces === '*'
}

/** Environments and profiles apply to all workspaces, so their authors must be users of all workspaces. */
export function mustBeDeploymentAdmin(ctx: Pick<SettingContext, 'actor'>, what: string): void {
  if (!isDeployments(ctx))
    throw new DomainError('forbidden', `Changing ${what} takes an owner or admin who may enter all workspaces.`)
}
