import type { SettingRecord } from '#core/config/setting-schema.ts'
import type { ConfigItem } from '#core/config/types.ts'
import type { ConfigItems } from '#store/authored/config-items.ts'
import { mustBeOfAll } from '../auth/may.ts'
import type { ServiceContext } from '../context.ts'

/** Policies of the console as they were last read, by the names of their items. */
export type SeenConsole = Map<string, { version: string; item: ConfigItem }>

export interface ConsoleDeps {
  items: Pick<ConfigItems, 'consoleVersions' | 'consolePolicies'>
  sha256: (text: string) => string
}

/** The policies of the console; those that were written since they were `seen` are read, and kept there. */
export async function consoleItems({ items, sha256 }: ConsoleDeps, seen: SeenConsole): Promise<ConfigItem[]> {
  const there = await items.consoleVersions()
  const unread = there.filter((each) => seen.get(nameOf(each))?.version !== each.version)
  const names = new Set(there.map(nameOf))
  for (const name of seen.keys()) if (!names.has(name)) seen.delete(name)
  if (unread.length > 0) {
    // an item that disappears before it is read counts as removed
    for (const each of unread) seen.delete(nameOf(each))
    for (const row of await items.consolePolicies(unread)) {
      const { workspace_id, version, document, author } = row
      const item: ConfigItem = {
        item: nameOf(row),
        kind: 'policy',
        layer: 'console',
        workspace_id,
        state: `sha256:${sha256(document)}`,
        about: { author },
        body: document,
      }
      seen.set(item.item, { version, item })
    }
  }
  return there.flatMap((each) => seen.get(nameOf(each))?.item ?? [])
}

function nameOf({ workspace_id, name }: { workspace_id: string; name: string }): string {
  return `console/${workspace_id}/${name}`
}

/** The effective settings of this process, with secrets hidden. */
export function listSettings(ctx: Pick<ServiceContext, 'actor'> & { settings(): SettingRecord[] }): SettingRecord[] {
  mustBeOfAll(ctx.actor)
  return ctx.settings()
}
