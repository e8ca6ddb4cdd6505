import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'

/** Throws unless the actor may enter every workspace: what it is about belongs to all of them. */
export function mustBeOfAll(actor: Pick<Actor, 'workspaces'>): void {
  if (actor.workspaces !== '*')
    throw new DomainError('forbidden', 'This belongs to all workspaces: ask an owner or admin of all of them.')
}
