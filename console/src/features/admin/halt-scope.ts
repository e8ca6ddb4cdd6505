import { HALTS } from '../../strings/halts.ts'
import type { Halt, Workspace } from './api.ts'

/** What a halt stops, in words. */
export function scopeText(
  { workspace, environment, template, requester }: Halt['scope'],
  workspaces: readonly Workspace[] = [],
): string {
  const name = workspaces.find(({ id }) => id === workspace)?.name ?? workspace
  const place = name === undefined ? undefined : HALTS.of_workspace(name)
  return [place, environment, template, requester].filter((part) => part !== undefined).join(', ') || HALTS.everything
}
