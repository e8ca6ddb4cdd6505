import { canonicalText } from '#core/canonical-text.ts'
import { DomainError } from '#core/errors.ts'
import type { JsonObject } from '#core/json.ts'
import type { Preset } from '#core/preset/schema.ts'
import type { PresetRow } from '#store/presets.ts'
import { authorOf, overtaken } from '../authored-document.ts'
import { mustMatch } from '../must-match.ts'
import { checkValues } from './check-values.ts'
import { findPreset } from './find-preset.ts'
import { mustNotBePinned } from './must-not-be-pinned.ts'
import type { NamedKind, PresetContext } from './preset-ports.ts'
import { etagOf, presetAudit, toPresetRecord } from './preset-record.ts'

export interface PresetChanges {
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
