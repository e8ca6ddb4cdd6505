import { EVERYWHERE } from '#store/console-documents.ts'
import type { SettingContext, SettingKind } from './setting-ports.ts'
import { standingOf, toSettingRecord } from './setting-record.ts'

/** All that the caller may know of, by name. */
export async function listSettings<Value extends { name: string }, Said extends { name: string }, Shown>(
  ctx: SettingContext,
  kind: SettingKind<Value, Said, Shown>,
) {
  const rows = new Map((await ctx.setting_ports.stores[kind.kind].list(EVERYWHERE)).map((row) => [row.name, row]))
  const names = [...new Set([...kind.names(), ...rows.keys()])].sort()
  const standings = await Promise.all(names.map((name) => standingOf(ctx, kind, name, rows.get(name))))
  const seen = standings.filter(({ value }) => value !== undefined && kind.isSeen(value))
  const items = await Promise.all(seen.map((standing) => toSettingRecord(ctx, kind, standing)))
  return { items, total: { count: items.length, capped: false } }
}
