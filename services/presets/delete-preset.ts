import { overtaken } from '../authored-document.ts'
import { mustMatch } from '../must-match.ts'
import { findPreset } from './find-preset.ts'
import { mustNotBePinned } from './must-not-be-pinned.ts'
import type { NamedKind, PresetContext } from './preset-ports.ts'
import { etagOf, presetAudit } from './preset-record.ts'

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
