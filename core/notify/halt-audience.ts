import { type Environment, isGranted } from '../environment/environment.ts'
import type { HaltScope } from '../halt/halt.ts'

/**
 * Returns the channels on which a halt is announced, each with the ids of the workspaces that it serves: those that the environments of
 * these workspaces name for their gates and ends, as far as the halt covers them.
 */
export function haltAudience(
  { environment }: Pick<HaltScope, 'environment'>,
  workspaces: readonly { id: string; slug: string }[],
  environments: readonly Environment[],
): Map<string, string[]> {
  const covered = environments.filter(({ name }) => environment === undefined || name === environment)
  const audience = new Map<string, Set<string>>()
  for (const { id, slug } of workspaces)
    for (const each of covered.filter((usable) => isGranted(usable, slug)))
      for (const channel of channelsOf(each)) audience.set(channel, (audience.get(channel) ?? new Set()).add(id))
  return new Map(Array.from(audience, ([channel, ids]) => [channel, [...ids]]))
}

function channelsOf({ approval, notify }: Environment): string[] {
  return [...approval.channels, ...approval.escalate_to, ...(notify?.channels ?? [])]
}
