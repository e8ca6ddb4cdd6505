import { DomainError } from '#core/errors.ts'
import type { ApiContext } from '../context.ts'

/** Refuses a query parameter that the route has not: a filter that is misspelt must not answer as if it had been asked for nothing. */
export function mustKnowQuery(c: ApiContext, known: readonly string[]): void {
  const unknown = Object.keys(c.req.query()).filter((name) => !known.includes(name))
  if (unknown.length === 0) return
  const takes = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`
  const msg = `is no query parameter of this operation; ${takes}`
  const errors = unknown.map((name) => ({
    pointer: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    loc: ['query', name],
    msg,
    type: 'unrecognized_keys',
  }))
  throw new DomainError('validation_failed', `query ${errors[0]?.pointer ?? ''}: ${msg}`, { errors })
}
