import { DomainError } from '#core/errors.ts'
import type { Preset, PresetDraft } from '#core/preset/schema.ts'
import { authorOf } from '../authored-document.ts'
import { checkValues } from './check-values.ts'
import { getPreset } from './get-preset.ts'
import type { NamedKind, PresetContext } from './preset-ports.ts'
import { presetAudit, toPresetRecord } from './preset-record.ts'

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
