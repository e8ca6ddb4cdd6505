import type { Json } from '#core/json.ts'

/** A statement as an approver reads it, its values below it as comments. */
export function sqlCommand({ sql, params = [] }: { sql: string; params?: Json[] }): string {
  return [sql, ...params.map((value, index) => `-- $${index + 1} = ${JSON.stringify(value)}`)].join('\n')
}
