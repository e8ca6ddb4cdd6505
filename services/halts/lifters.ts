import type { Actor } from '#core/actor.ts'
import type { Halt, Lifter } from '#core/halt/halt.ts'
import { nameFor } from '../auth/may.ts'

const MOST_LIFTERS = 10

/** Returns who may lift a halt, those of its workspace first: by name as this reader may see it, else in words. None without admins. */
export function liftersFor(
  reader: Pick<Actor, 'roles' | 'scopes' | 'workspaces'>,
  { scope: { workspace } }: Pick<Halt, 'scope'>,
  lifters: readonly Lifter[],
): string[] {
  const ofAll = lifters.filter((each) => each.workspaces.includes('*'))
  const own = lifters.filter((each) => workspace !== undefined && each.workspaces.includes(workspace))
  const isNamed = workspace !== undefined || reader.workspaces === '*'
  const names = (isNamed ? [...own, ...ofAll] : [])
    .map(({ name }) => nameFor(reader, name))
    .filter((name) => name !== undefined)
  if (names.length > 0) return names.slice(0, MOST_LIFTERS)
  if (own.length > 0) return ['an admin of the workspace']
  return ofAll.length > 0 ? ['an owner or admin of all workspaces'] : []
}
