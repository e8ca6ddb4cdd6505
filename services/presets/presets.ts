import { canonicalText } from '#core/canonical-text.ts'
import { DomainError } from '#core/errors.ts'
import type { JsonObject } from '#core/json-pointer.ts'
import type { Preset, PresetDraft } from '#core/preset/schema.ts'
import type { PresetRow } from '#store/presets.ts'
import { authorOf, mustMatch, overtaken } from '../authored-document.ts'
import type { ListPage } from '../list-page.ts'
import { checkValues } from './check-values.ts'
import type { NamedKind, PresetContext } from './preset-ports.ts'
import { etagOf, presetAudit, toPresetRecord } from './preset-record.ts'

/** As many presets of a kind as a workspace keeps. */
const MOST_PRESETS = 200

/** Keeps inputs under a name. Throws `conflict` for a name that is taken, or when there are too many. */
export async function createPreset(ctx: PresetContext, kind: NamedKind, draft: PresetDraft): Promise<Preset> {
  const { done } = ctx.attempt ?? {}
  if (done !== undefined) return await getPreset(ctx, kind, done.subject.id)
  const { pack, template, name, values } = draft
  const inputs = checkValues(ctx, draft, values)
  const { workspace_id } = ctx
  const id = ctx.ids.next('preset')
  const made = { id, workspace_id, kind, pack, template, name, inputs, author: authorOf(ctx) }
  const after = { ...made, is_default: false, created_at: '', updated_at: '' }
  const audit = presetAudit(ctx, { action: 'preset.created', after })
  const row = await ctx.preset_store.create(made, MOST_PRESETS, audit)
  if (row !== undefined) return toPresetRecord(ctx, row)
  const others = await ctx.preset_store.list(workspace_id, kind, { pack, template })
  if (others.some((other) => other.name === name))
    throw new DomainError('conflict', `There is a preset ${name} already.`)
  throw new DomainError('conflict', `A workspace keeps at most ${MOST_PRESETS} presets of a kind.`)
}

/** All presets of a kind in the caller's workspace, by template and name. */
export async function listPresets(
  ctx: PresetContext,
  kind: NamedKind,
  { pack, template }: { pack?: string | undefined; template?: string | undefined },
): Promise<ListPage<Preset>> {
  const rows = await ctx.preset_store.list(ctx.workspace_id, kind, {
    ...(pack !== undefined && { pack }),
    ...(template !== undefined && { template }),
  })
  return { items: rows.map((row) => toPresetRecord(ctx, row)), total: { count: rows.length, capped: false } }
}

/** One preset, with what does not fit its template any more. */
export async function getPreset(ctx: PresetContext, kind: NamedKind, id: string): Promise<Preset> {
  return toPresetRecord(ctx, await findPreset(ctx, kind, id))
}

interface PresetChanges {
  id: string
  if_match?: string | undefined
  name?: string | undefined
  values?: JsonObject | undefined
  is_default?: boolean | undefined
}

/** Renames a preset, changes its values, or makes it the default or not. Throws `version_conflict`, or `conflict` when somebody was faster. */
export async function changePreset(
  ctx: PresetContext,
  kind: NamedKind,
  { id, if_match, name, values, is_default }: PresetChanges,
): Promise<Preset> {
  const before = await findPreset(ctx, kind, id)
  if (ctx.attempt?.done !== undefined) return toPresetRecord(ctx, before)
  mustMatch(if_match, etagOf(ctx, before))
  const inputs = values === undefined ? before.inputs : checkValues(ctx, before, values)
  if (name !== undefined && name !== before.name) await mustNotBePinned(ctx, before, before.name)
  const anew = canonicalText(inputs) !== canonicalText(before.inputs)
  const after: PresetRow = {
    ...before,
    name: name ?? before.name,
    inputs,
    is_default: is_default ?? before.is_default,
    author: authorOf(ctx),
  }
  const row = await ctx.preset_store
    .change(before, { ...after, anew }, presetAudit(ctx, { action: 'preset.updated', before, after }))
    .catch((error: unknown) => {
      throw nameTaken(error, after.name) ?? error
    })
  if (row === undefined) throw overtaken()
  return toPresetRecord(ctx, row)
}

function nameTaken(error: unknown, name: string): DomainError | undefined {
  const constraint = error instanceof Error && 'constraint_name' in error ? error.constraint_name : undefined
  if (constraint === 'presets_by_name') return new DomainError('conflict', `There is a preset ${name} already.`)
  // two became the default at once
  return constraint === 'presets_with_one_default' ? overtaken() : undefined
}

/** Deletes a preset that no schedule names. Runs that began with it keep what it filled in. */
export async function deletePreset(
  ctx: PresetContext,
  kind: NamedKind,
  { id, if_match }: { id: string; if_match?: string | undefined },
): Promise<void> {
  const before = await findPreset(ctx, kind, id)
  mustMatch(if_match, etagOf(ctx, before))
  await mustNotBePinned(ctx, before)
  if (!(await ctx.preset_store.remove(before, presetAudit(ctx, { action: 'preset.deleted', before }))))
    throw overtaken()
}

/** A preset of the caller's workspace. Throws `not_found`. */
async function findPreset(ctx: PresetContext, kind: NamedKind, id: string): Promise<PresetRow> {
  const row = await ctx.preset_store.find(ctx.workspace_id, kind, id)
  if (row === undefined) throw new DomainError('not_found', 'there is no such preset')
  return row
}

/** Throws `conflict` while schedules name the preset: their firings would be refused. */
async function mustNotBePinned({ preset_store }: PresetContext, row: PresetRow, as?: string): Promise<void> {
  const schedules = await preset_store.pinnedBy(row, as)
  if (row.kind === 'config' && schedules.length > 0)
    throw new DomainError('conflict', `The schedule ${schedules.join(', ')} uses it; delete or change that first.`, {
      schedules,
    })
}
