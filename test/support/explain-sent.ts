import type { Db } from '#store/db.ts'
import type { SentStatement } from './sql-recorder.ts'

/** What the server reads for a statement. */
export interface Reading {
  /** rows that were read of each table, those that a filter then took out included */
  rows: Record<string, number>
  /** tables that were read from one end to the other */
  scanned: string[]
}

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}

/**
 * Runs a statement once more as it was sent, in the session that is given: planned for its values, as its first times, or for any
 * values, as every later time may be.
 */
export async function explainSent(
  db: Db,
  { sql, values }: SentStatement,
  plan: 'custom' | 'generic',
): Promise<Reading> {
  await db.unsafe(`set plan_cache_mode = force_${plan}_plan`)
  await db.unsafe(`prepare explained as ${sql}`)
  try {
    const given = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`
    const [row] = await db.unsafe<{ 'QUERY PLAN': { Plan: PlanNode }[] }[]>(
      `explain (analyze, format json) execute explained${given}`,
    )
    const reading: Reading = { rows: {}, scanned: [] }
    for (const { Plan } of row?.['QUERY PLAN'] ?? []) read(Plan, reading)
    return reading
  } finally {
    await db.unsafe('deallocate explained')
  }
}

function read(node: PlanNode, reading: Reading): void {
  const { 'Relation Name': table, 'Actual Loops': loops } = node
  if (table !== undefined) {
    const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
    // an average over its loops
    reading.rows[table] = (reading.rows[table] ?? 0) + Math.round((node['Actual Rows'] + removed) * loops)
    if (node['Node Type'] === 'Seq Scan') reading.scanned.push(table)
  }
  for (const child of node.Plans ?? []) read(child, reading)
}

const literal = (value: string | null) => (value === null ? 'null' : `'${value.replaceAll("'", "''")}'`)
