import type { Actor } from '#core/actor.ts'
import type { KeyNeed } from '#core/api-key/scopes.ts'
import { DomainError } from '#core/errors.ts'

/** Whether what was shown suffices for an operation; whoever came without an API key needs no scope. */
export function holdsScope({ key }: Pick<Actor, 'key'>, need: KeyNeed): boolean {
  return key === undefined || need === 'any' || (need !== 'never' && key.scopes.includes(need))
}

/** Throws `forbidden` that names the scope that is missing. */
export function mustHoldScope(actor: Pick<Actor, 'key'>, need: KeyNeed): void {
  if (holdsScope(actor, need)) return
  if (need === 'never')
    throw new DomainError('forbidden', 'No API key does for this: it takes somebody who signs in.', {
      required_scope: 'none',
    })
  throw new DomainError('forbidden', `This API key lacks the scope ${need}.`, { required_scope: need })
}
