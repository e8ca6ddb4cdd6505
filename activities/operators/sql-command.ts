import type { Json } from '#core/json/json.ts'

/**
 * A statement as an approver reads it: its values first, as comments, then the statement to the end. What a statement says of
 * values in comments of its own comes after, and below the line that ends them.
 */
export function sqlCommand({ sql, params = [] }: { sql: string; params?: Json[] }): string {
  if (params.length === 0) return sql
  const values = params.map((value, index) => `-- $${index + 1} = ${JSON.stringify(value)}`)
  return [...values, '-- the statement, to its end:', sql].join('\n')
}
