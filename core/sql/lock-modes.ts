import { type Json, type JsonObject, objectOf } from '../json/json.ts'

/** Table-level lock modes, weakest first (PostgreSQL documentation, "Explicit Locking"). */
const MODES = [
  'AccessShareLock',
  'RowShareLock',
  'RowExclusiveLock',
  'ShareUpdateExclusiveLock',
  'ShareLock',
  'ShareRowExclusiveLock',
  'ExclusiveLock',
  'AccessExclusiveLock',
] as const
export type LockMode = (typeof MODES)[number]

/** The weakest conflicting lock of another session; the one exception is in `conflicts`. */
const CONFLICTS_FROM: Record<LockMode, LockMode> = {
  AccessShareLock: 'AccessExclusiveLock',
  RowShareLock: 'ExclusiveLock',
  RowExclusiveLock: 'ShareLock',
  ShareUpdateExclusiveLock: 'ShareUpdateExclusiveLock',
  ShareLock: 'RowExclusiveLock',
  ShareRowExclusiveLock: 'RowExclusiveLock',
  ExclusiveLock: 'RowShareLock',
  AccessExclusiveLock: 'AccessShareLock',
}

/** Statements that always take the same lock on the table that they name first. */
const FIXED: Record<string, LockMode> = {
  CommentStmt: 'ShareUpdateExclusiveLock',
  CreateStatsStmt: 'ShareUpdateExclusiveLock',
  CreateTrigStmt: 'ShareRowExclusiveLock',
  DeleteStmt: 'RowExclusiveLock',
  InsertStmt: 'RowExclusiveLock',
  MergeStmt: 'RowExclusiveLock',
  UpdateStmt: 'RowExclusiveLock',
}

/** Subcommands of ALTER TABLE that take less than all. */
const ALTERING: [LockMode, RegExp][] = [
  [
    'ShareUpdateExclusiveLock',
    /^AT_(SetStatistics|ClusterOn|DropCluster|SetOptions|ResetOptions|ValidateConstraint|AttachPartition)$/,
  ],
  ['ShareRowExclusiveLock', /^AT_(Enable|Disable)\w*Trig\w*$/],
]

/** Tells whether a session that holds `held` blocks one that wants `wanted` on the same table. */
export function conflicts(wanted: LockMode, held: string): boolean {
  if (wanted === 'ShareLock' && held === 'ShareLock') return false
  const rank = (MODES as readonly string[]).indexOf(held)
  return rank >= MODES.indexOf(CONFLICTS_FROM[wanted])
}

/** Tells whether a statement has `CONCURRENTLY`. */
export function isConcurrent(node: JsonObject): boolean {
  return node['concurrent'] === true || says(node['params'], 'concurrently')
}

/** Returns the strongest table lock of a statement, from its tree; the strongest of all where that is unknown. */
export function lockModeOf(root: string, node: JsonObject, nodes: ReadonlySet<string>): LockMode {
  const concurrent = isConcurrent(node)
  switch (root) {
    case 'SelectStmt':
      if (['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt'].some((type) => nodes.has(type)))
        return 'RowExclusiveLock'
      return nodes.has('LockingClause') ? 'RowShareLock' : 'AccessShareLock'
    case 'VacuumStmt':
      return says(node['options'], 'full') ? 'AccessExclusiveLock' : 'ShareUpdateExclusiveLock'
    case 'IndexStmt':
      return concurrent ? 'ShareUpdateExclusiveLock' : 'ShareLock'
    case 'ReindexStmt':
      return concurrent ? 'ShareUpdateExclusiveLock' : 'ShareLock'
    case 'DropStmt':
      return concurrent ? 'ShareUpdateExclusiveLock' : 'AccessExclusiveLock'
    case 'RefreshMatViewStmt':
      return concurrent ? 'ExclusiveLock' : 'AccessExclusiveLock'
    case 'LockStmt':
      return MODES[Number(node['mode']) - 1] ?? 'AccessExclusiveLock'
    case 'AlterTableStmt':
      return strongest(list(node['cmds']).map((each) => alteringLock(inner(each))))
    default:
      return FIXED[root] ?? 'AccessExclusiveLock'
  }
}

function alteringLock(command: JsonObject): LockMode {
  const subtype = String(command['subtype'])
  if (subtype === 'AT_AddConstraint' && inner(command['def'])['contype'] === 'CONSTR_FOREIGN')
    return 'ShareRowExclusiveLock'
  return ALTERING.find(([, pattern]) => pattern.test(subtype))?.[0] ?? 'AccessExclusiveLock'
}

function strongest(modes: LockMode[]): LockMode {
  return MODES[Math.max(...modes.map((mode) => MODES.indexOf(mode)))] ?? 'AccessExclusiveLock'
}

/** True for an option that is given, unless its value is `false`, `off` or 0. */
function says(options: Json | undefined, name: string): boolean {
  return list(options).some((each) => {
    const option = inner(each)
    return (
      option['defname'] === name &&
      !['{"String":{"sval":"false"}}', '{"String":{"sval":"off"}}', '{"Integer":{}}'].includes(
        JSON.stringify(option['arg']),
      )
    )
  })
}

function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : []
}

/** The node inside of `{Type: node}`. */
function inner(value: Json | undefined): JsonObject {
  const [node] = typeof value === 'object' && value !== null ? Object.values(value) : []
  return objectOf(node)
}
