import type { Preset } from '#core/preset/schema.ts'
import { findPreset } from './find-preset.ts'
import type { NamedKind, PresetContext } from './preset-ports.ts'
import { toPresetRecord } from './preset-record.ts'

/** One preset, with what does not fit its template any more. */
export async function getPreset(ctx: PresetContext, kind: NamedKind, id: string): Promise<Preset> {
  return toPresetRecord(ctx, await findPreset(ctx, kind, id))
}
