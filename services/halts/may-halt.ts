import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'
import type { HaltScope } from '#core/halt/halt.ts'
import { mayEnter } from '../auth/may.ts'

/** Throws unless the actor may stop, or let go on, what the scope covers: its own workspaces, or all of them whoever may enter all. */
export function mustReachScope(actor: Actor, { workspace }: HaltScope): void {
  if (workspace !== undefined) {
    if (!mayEnter(actor, workspace))
      throw new DomainError('not_found', 'there is no such workspace', { refused: 'workspace' })
    return
  }
  if (actor.workspaces === '*') return
  throw new DomainError(
    'forbidden',
    'This halt reaches beyond your workspaces: name one of yours as its scope, or ask an owner or admin of all workspaces.',
  )
}
