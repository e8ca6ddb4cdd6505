import type { SqlName } from '#core/sql/statement.ts'

/** The first number of what is made after a cluster was: below it everything is the server's own. */
export const FIRST_OWN = 16_384

/** In the place of a schema: all of them. */
export const ANY_SCHEMA = '*'

/** Names to be looked up, those without a schema in `schemas`. */
export interface Lookup {
  functions: SqlName[]
  operators: SqlName[]
  types: SqlName[]
  attributes: string[]
  relations: SqlName[]
  schemas: string[]
  /** whether it is also looked at what runs when a relation is written */
  writing: boolean
}

export function schemasOf(names: SqlName[]): string[] {
  return names.map(({ schema }) => schema ?? '')
}

export function namesOf(names: SqlName[]): string[] {
  return names.map(({ name }) => name)
}
