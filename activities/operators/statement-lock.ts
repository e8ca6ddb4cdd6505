import { type JsonObject, objectOf } from '#core/json/json.ts'
import { type LockMode, lockModeOf } from '#core/sql/lock-modes.ts'
import type { ParsedSql } from './sql-grammar.ts'

/** The lock that a statement takes on what it names; undefined where it names nothing. */
export function statementLock({ tree, statement }: ParsedSql): LockMode | undefined {
  const { root, nodes, relations } = statement
  if (relations.length === 0) return undefined
  const [node] = Object.values(tree)
  const inner: JsonObject = objectOf(node)
  return lockModeOf(root, inner, nodes)
}
