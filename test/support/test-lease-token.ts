import type { LeaseToken } from '#core/lease/lease.ts'
import type { Db } from '#store/db.ts'

/** A lease of nobody else's, for writes that ask for one. */
export async function testLeaseToken(db: Db): Promise<LeaseToken> {
  const [lease] = await db<{ epoch: number }[]>`select take_lease('test', 'test', 3000) as epoch`
  if (lease === undefined) throw new Error('no lease')
  return { name: 'test', epoch: lease.epoch }
}
