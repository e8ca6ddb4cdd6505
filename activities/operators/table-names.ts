import type { SqlStatement } from '#core/sql/statement.ts'

const PLAIN = /^[a-z_\u0080-\uffff][a-z0-9_$\u0080-\uffff]*$/

/** The relations that a statement names, as people write them. */
export function tableNames({ relations }: SqlStatement): string[] {
  return relations.map(({ schema, name }) => [...(schema === undefined ? [] : [schema]), name].map(quoted).join('.'))
}

function quoted(name: string): string {
  return PLAIN.test(name) ? name : `"${name.replaceAll('"', '""')}"`
}
