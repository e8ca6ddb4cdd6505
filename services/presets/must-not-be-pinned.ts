import { DomainError } from '#core/errors.ts'
import type { PresetRow } from '#store/presets.ts'
import type { PresetContext } from './preset-ports.ts'

/** Throws `conflict` while schedules name the preset: their firings would be refused. */
export async function mustNotBePinned({ preset_store }: PresetContext, row: PresetRow, as?: string): Promise<void> {
  const schedules = await preset_store.pinnedBy(row, as)
  if (row.kind === 'config' && schedules.length > 0)
    throw new DomainError('conflict', `The schedule ${schedules.join(', ')} uses it; delete or change that first.`, {
      schedules,
    })
}
