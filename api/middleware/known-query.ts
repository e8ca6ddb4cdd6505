import { DomainError } from '#core/errors.ts'
import { jsonPointer } from '#core/json/json.ts'
import type { ApiContext } from '../context.ts'

/** Refuses an unknown query parameter, or a repeated one that the route takes once: a misspelt filter must not be ignored. */
export function mustKnowQuery(c: ApiContext, known: readonly string[], repeatable: readonly string[] = []): void {
  const given = c.req.queries()
  const takes = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`
  refuse(
    Object.keys(given).filter((name) => !known.includes(name)),
    { msg: `is no query parameter of this operation; ${takes}`, type: 'unrecognized_keys' },
  )
  refuse(
    Object.entries(given).flatMap(([name, values]) => (values.length > 1 && !repeatable.includes(name) ? [name] : [])),
    { msg: 'is given more than once, and takes one value', type: 'repeated' },
  )
}

function refuse(names: string[], why: { msg: string; type: string }): void {
  if (names.length === 0) return
  const errors = names.map((name) => ({
    pointer: jsonPointer([name]),
    loc: ['query', name],
    ...why,
  }))
  throw new DomainError('validation_failed', `query ${errors[0]?.pointer ?? ''}: ${why.msg}`, { errors })
}
