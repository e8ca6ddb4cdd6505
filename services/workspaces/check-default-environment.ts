import { isGranted } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import type { WorkspaceContext } from './workspace-record.ts'

/** as many as a person reads in one sentence */
const MOST_NAMED = 20

/**
 * Throws `validation_failed`, with the names there are, for a default environment that does not exist. It may be granted to the workspace
 * afterwards; who may enter only some workspaces is told of none but those that are granted.
 */
export function mustBeKnown(
  { actor, environments }: Pick<WorkspaceContext, 'actor' | 'environments'>,
  name: string,
  slug: string,
): void {
  const known = environments
    .list()
    .filter((each) => actor.workspaces === '*' || isGranted(each, slug))
    .map((each) => each.name)
  if (known.includes(name)) return
  const msg = `there is no environment ${name}; known here: ${known.slice(0, MOST_NAMED).join(', ') || 'none'}`
  throw new DomainError('validation_failed', msg, {
    errors: [{ pointer: '/default_environment', loc: ['default_environment'], msg, type: 'unknown_environment' }],
  })
}
