import type { Operator } from './operator.ts'

/** The operators that a deployment knows, by id. */
export interface OperatorCatalog {
  get(id: string): Operator | undefined
  list(): Operator[]
}
