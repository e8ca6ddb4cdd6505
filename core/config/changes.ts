import type { Profile } from '../environment/environment.ts'
import type { ConfigItem, FoundConfig, KnownItem } from './types.ts'

type Gates = Pick<Profile, 'requires_approval' | 'require_plan_hash' | 'limits'>

const NONE: Gates = { requires_approval: [] }

/** Settings of a profile by which something may be laxer after a change. undefined: there is no file. */
export function loosenedGates(before: Gates | undefined, after: Gates | undefined): string[] {
  const [was, is] = [before ?? NONE, after ?? NONE]
  const isLaxer: [setting: string, laxer: boolean][] = [
    ['requires_approval', was.requires_approval.some((type) => !is.requires_approval.includes(type))],
    ['require_plan_hash', was.require_plan_hash === true && is.require_plan_hash !== true],
    ['limits.max_usd', capOf(is) > capOf(was)],
  ]
  return isLaxer.filter(([, laxer]) => laxer).map(([setting]) => setting)
}

function capOf({ limits }: Gates): number {
  return limits?.max_usd ?? Number.POSITIVE_INFINITY
}

/** A difference between the current configuration and the last recorded one. */
export interface ConfigChange {
  action: 'config.added' | 'config.changed' | 'config.removed'
  before: KnownItem | undefined
  /** undefined when it was removed */
  after: ConfigItem | undefined
}

/** Returns the changes, in order of the items' names. */
export function configChanges(known: ReadonlyMap<string, KnownItem>, { items, unlisted }: FoundConfig): ConfigChange[] {
  const found = new Set(items.map(({ item }) => item))
  const changed = items.flatMap((after): ConfigChange[] => {
    const before = known.get(after.item)
    if (before?.state === after.state) return []
    return [{ action: (before?.state ?? null) === null ? 'config.added' : 'config.changed', before, after }]
  })
  const removed = [...known.values()]
    .filter(
      ({ item, state }) => state !== null && !found.has(item) && !unlisted.some((start) => item.startsWith(start)),
    )
    .map((before): ConfigChange => ({ action: 'config.removed', before, after: undefined }))
  return [...changed, ...removed].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

export function nameOf({ before, after }: ConfigChange): string {
  return after?.item ?? before?.item ?? ''
}
