import { createHash } from 'node:crypto'
import { type ChainHead, chainRecord } from '#core/audit/chain.ts'
import { createAuditOutbox } from '#store/audit/audit-outbox.ts'
import type { Db } from '#store/db.ts'
import { testLeaseToken } from './test-lease-token.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Gives all drafts that wait their place, as the sequencer does. */
export async function chainWaiting(db: Db): Promise<ChainHead> {
  const outbox = createAuditOutbox(db)
  let head = await outbox.lastMark()
  const places = (await outbox.waiting(10_000)).map(({ id, draft }) => {
    const { record } = chainRecord(head, draft, sha256)
    head = { seq: record.seq, hash: record.hash }
    return { id, ...head }
  })
  await outbox.mark(places, await testLeaseToken(db))
  return head
}
