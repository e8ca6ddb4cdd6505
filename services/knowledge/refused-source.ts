import { DomainError } from '#core/errors.ts'

/** A source that cannot be used as it is. */
export function refusedSource(msg: string): DomainError {
  return new DomainError('validation_failed', msg, {
    errors: [{ pointer: '/source', loc: ['source'], msg, type: 'invalid' }],
  })
}
