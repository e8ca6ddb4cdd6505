import type { SqlStatement } from './sql-statement.ts'

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

/** From which mode on another session's lock stands in the way; the one exception is in `conflicts`. */
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

/** Whether a session that holds `held` makes one that wants `wanted` on the same table wait. */
export function conflicts(wanted: LockMode, held: string): boolean {
  if (wanted === 'ShareLock' && held === 'ShareLock') return false
  const rank = (MODES as readonly string[]).indexOf(held)
  return rank >= MODES.indexOf(CONFLICTS_FROM[wanted])
}

/** The strongest table lock that a statement takes, told by its words; the strongest of all when they do not tell. */
export function lockModeOf({ keyword, tokens }: SqlStatement): LockMode {
  const says = (word: string) => tokens.includes(word)
  switch (keyword) {
    case 'select':
    case 'values':
    case 'table':
    case 'show':
      return says('for') ? 'RowShareLock' : 'AccessShareLock'
    case 'insert':
    case 'update':
    case 'delete':
    case 'merge':
    case 'with':
    case 'copy':
      return 'RowExclusiveLock'
    case 'vacuum':
      return says('full') ? 'AccessExclusiveLock' : 'ShareUpdateExclusiveLock'
    case 'analyze':
      return 'ShareUpdateExclusiveLock'
    case 'create':
      if (says('index')) return says('concurrently') ? 'ShareUpdateExclusiveLock' : 'ShareLock'
      return says('trigger') ? 'ShareRowExclusiveLock' : 'AccessExclusiveLock'
    case 'reindex':
      return says('concurrently') ? 'ShareUpdateExclusiveLock' : 'ShareLock'
    case 'drop':
      return says('concurrently') ? 'ShareUpdateExclusiveLock' : 'AccessExclusiveLock'
    case 'refresh':
      return says('concurrently') ? 'ExclusiveLock' : 'AccessExclusiveLock'
    default:
      return 'AccessExclusiveLock'
  }
}
