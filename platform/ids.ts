import { monotonicFactory } from 'ulid'
import { ID_PREFIX, type Ids } from '#core/id.ts'

/** Fresh identifiers: prefix and lower-case ULID, increasing within this process. */
export function createIds(): Ids {
  const ulid = monotonicFactory()
  return { next: (kind) => `${ID_PREFIX[kind]}_${ulid().toLowerCase()}` }
}
