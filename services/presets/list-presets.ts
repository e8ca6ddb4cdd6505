import type { Preset } from '#core/preset/schema.ts'
import type { ListPage } from '../list-page.ts'
import type { NamedKind, PresetContext } from './preset-ports.ts'
import { toPresetRecord } from './preset-record.ts'

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
