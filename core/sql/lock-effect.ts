import type { LockMode } from './lock-modes.ts'

const EFFECTS: Record<LockMode, string> = {
  AccessShareLock: 'reads and writes go on; DROP, TRUNCATE, VACUUM FULL and most of ALTER TABLE wait',
  RowShareLock: 'reads and writes go on; DROP, TRUNCATE, VACUUM FULL and most of ALTER TABLE wait',
  RowExclusiveLock: 'reads and writes of other rows go on; schema changes and plain index builds wait',
  ShareUpdateExclusiveLock:
    'reads and writes go on; schema changes, index builds, VACUUM and ANALYZE of the table wait',
  ShareLock: 'reads go on; writes wait',
  ShareRowExclusiveLock: 'reads go on; writes wait',
  ExclusiveLock: 'reads go on; writes and SELECT FOR UPDATE wait',
  AccessExclusiveLock: 'reads and writes wait',
}

/** What others can do with a table while somebody holds the lock, in words. */
export function lockEffect(mode: LockMode): string {
  return EFFECTS[mode]
}
