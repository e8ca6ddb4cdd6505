/** Statements that PostgreSQL refuses inside of any transaction, by how they begin. */
const ALONE: [command: string, begins: RegExp][] = [
  ['VACUUM', /^vacuum\b/],
  ['CREATE INDEX CONCURRENTLY', /^create (unique )?index concurrently\b/],
  ['DROP INDEX CONCURRENTLY', /^drop index concurrently\b/],
  ['REINDEX CONCURRENTLY', /^reindex (\([^)]*\) ?)?(index|table|schema|database|system) concurrently\b/],
  ['REINDEX CONCURRENTLY', /^reindex \([^)]*\bconcurrently\b(?! (false|off|0))/],
  ['REINDEX of a whole schema or database', /^reindex (\([^)]*\) ?)?(schema|database|system)\b/],
  ['CREATE DATABASE', /^create database\b/],
  ['DROP DATABASE', /^drop database\b/],
  ['ALTER DATABASE … SET TABLESPACE', /^alter database \S+ set tablespace\b/],
  ['CREATE TABLESPACE', /^create tablespace\b/],
  ['DROP TABLESPACE', /^drop tablespace\b/],
  ['ALTER SYSTEM', /^alter system\b/],
  ['CLUSTER of all tables', /^cluster( verbose| \([^)]*\))? ?;?$/],
  ['DETACH PARTITION … CONCURRENTLY', /^alter table [^;]* detach partition \S+ concurrently\b/],
  ['CREATE SUBSCRIPTION', /^create subscription\b(?!.*\b(connect|create_slot)\b)/],
  ['ALTER SUBSCRIPTION … REFRESH PUBLICATION', /^alter subscription \S+ refresh publication\b/],
  ['ALTER SUBSCRIPTION … PUBLICATION', /^alter subscription \S+ (set|add|drop) publication\b(?!.*\brefresh\b)/],
]

/** Returns the command of a statement that cannot run in a transaction. An expression of a template at its beginning tells nothing. */
export function outsideTransaction(sql: string): string | undefined {
  const text = words(sql)
  return ALONE.find(([, begins]) => begins.test(text))?.[0]
}

/** The words of a statement as they are compared: without comments, and with one sign for each text, quoted name and expression. */
function words(sql: string): string {
  let [plain, at] = ['', 0]
  const after = (end: string) => (sql.indexOf(end, at) < 0 ? sql.length : sql.indexOf(end, at) + end.length)
  while (at < sql.length) {
    const sign = sql[at] ?? ''
    const next = /^(?:--|\/\*|\$\{\{|['"])/.exec(sql.slice(at, at + 3))?.[0]
    at += next?.length ?? 1
    if (next === undefined) plain += sign
    else if (next === '--') [plain, at] = [`${plain} `, after('\n')]
    else if (next === '/*') [plain, at] = [`${plain} `, afterComment(sql, at)]
    else if (next === '${{') [plain, at] = [`${plain}§`, after('}}')]
    else [plain, at] = [`${plain}§`, after(next)]
  }
  return plain.toLowerCase().replace(/\s+/g, ' ').trim()
}

/** Comments of SQL nest. */
function afterComment(sql: string, start: number): number {
  let depth = 1
  for (const { 0: found, index } of sql.slice(start).matchAll(/\/\*|\*\//g)) {
    depth += found === '/*' ? 1 : -1
    if (depth === 0) return start + index + 2
  }
  return sql.length
}
