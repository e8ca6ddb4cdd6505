import { randomUUID, webcrypto } from 'node:crypto'
import { hostname } from 'node:os'
import { monotonicFactory } from 'ulid'
import { ID_PREFIX, type Ids } from '#core/id.ts'

/** Fresh identifiers: prefix and lower-case ULID, increasing within this process. */
export function createIds(): Ids {
  const ulid = monotonicFactory(pooledRandom())
  return { next: (kind) => `${ID_PREFIX[kind]}_${ulid().toLowerCase()}` }
}

/** Random fractions from the system's source, drawn in bulk: one call per character of an id would cost more than the id. */
function pooledRandom(): () => number {
  const pool = new Uint32Array(1_024)
  let next = pool.length
  return () => {
    if (next === pool.length) {
      webcrypto.getRandomValues(pool)
      next = 0
    }
    return (pool[next++] ?? 0) / 2 ** 32
  }
}

/** Returns a unique name of this process for leases: a later process gets another name, even with the same id on the same host. */
export function holderName(): string {
  return `${hostname()}:${process.pid}:${randomUUID()}`
}
