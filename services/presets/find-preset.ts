import { DomainError } from '#core/errors.ts'
import type { PresetRow } from '#store/presets.ts'
import type { NamedKind, PresetContext } from './preset-ports.ts'

/** A preset of the caller's workspace. Throws `not_found`. */
export async function findPreset(ctx: PresetContext, kind: NamedKind, id: string): Promise<PresetRow> {
  const row = await ctx.preset_store.find(ctx.workspace_id, kind, id)
  if (row === undefined) throw new DomainError('not_found', 'there is no such preset')
  return row
}
