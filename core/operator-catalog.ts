import type { Operator } from './operator.ts'

/** The operators that a deployment knows, by id. */
export interface OperatorCatalog {
  get(id: string): Operator | undefined
  list(): Operator[]
}

/** The same catalog with further operators, which must not replace known ones. */
export function extendCatalog(catalog: OperatorCatalog, further: Operator[]): OperatorCatalog {
  const added = new Map(further.map((operator) => [operator.id, operator]))
  return {
    get: (id) => catalog.get(id) ?? added.get(id),
    list: () => [...catalog.list(), ...further.filter(({ id }) => catalog.get(id) === undefined)],
  }
}
