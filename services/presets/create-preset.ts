import { DomainError } from '#core/errors.ts'
import type { Preset, PresetDraft } from '#core/preset/schema.ts'
import { authorOf } from '../authored-document.ts'
import { checkValues } from './check-values.ts'
import type { NamedKind, PresetContext } from './preset-ports.ts'
import { presetAudit, toPresetRecord } from './preset-record.ts'

/** As many presets of a kind as a workspace keeps. */
const MOST_PRESETS = 200

/** Keeps inputs under a name. Throws `conflict` for a name that is taken. */
export async function createPreset(ctx: PresetContext, kind: NamedKind, draft: PresetDraft): Promise<Preset> {
  const { pack, template, name, values } = draft
  const inputs = checkValues(ctx, draft, values)
  const { workspace_id } = ctx
  if ((await ctx.preset_store.list(workspace_id, kind, {})).length >= MOST_PRESETS)
    throw new DomainError('conflict', `There are ${MOST_PRESETS} presets here, and there may be no more.`)
  const id = ctx.ids.next('preset')
  const made = { id, workspace_id, kind, pack, template, name, inputs, author: authorOf(ctx) }
  const after = { ...made, is_default: false, created_at: '', updated_at: '' }
  const row = await ctx.preset_store.create(made, presetAudit(ctx, { action: 'preset.created', after }))
  if (row === undefined) throw new DomainError('conflict', `There is a preset ${name} already.`)
  return toPresetRecord(ctx, row)
}
