import { join } from 'node:path'
import { expect } from 'vitest'
import { chainRecord, GENESIS } from '#core/audit/chain.ts'
import type { AuditDraft } from '#core/audit/types.ts'
import { sha256, verifyFile } from '#platform/audit-sink/verify-range.ts'
import type { Db } from '#store/db.ts'
import { PATIENCE } from './patience.ts'
import { proveLedger } from './prove-ledger.ts'
import type { EventBody } from './recovery.ts'

interface Totals {
  status: string
  open_gates: number
  unstarted: number
}

const ENDS = ['run.succeeded', 'run.failed', 'run.rejected', 'run.cancelled', 'run.expired']

/** Proves what must hold of an ended run whatever died on its way: one gapless story with one end, and money that adds up. */
export async function proveRunRecord(db: Db, runId: string): Promise<EventBody[]> {
  const events = await db<EventBody[]>`
    select seq::int, type, step_id as step, data from run_events where run_id = ${runId} order by seq`
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1))
  const ends = events.filter((event) => ENDS.includes(event.type))
  expect(ends).toHaveLength(1)
  expect(events.at(-1)).toEqual(ends[0])
  const completed = events.filter((event) => event.type === 'step.completed').map((event) => event.step)
  expect(completed).toEqual([...new Set(completed)])

  const [totals] = await db<Totals[]>`
    select r.status,
      (select count(*)::int from gates where run_id = r.id and status = 'open') as open_gates,
      (select count(*)::int from start_outbox where run_id = r.id) as unstarted
    from runs r where r.id = ${runId}`
  expect(`run.${totals?.status}`).toBe(ends[0]?.type)
  expect(totals).toMatchObject({ open_gates: 0, unstarted: 0 })
  await proveLedger(db, runId)
  return events
}

/** Proves that the audit chain holds every record of the database once, in an unbroken chain, and that each comes to its hash again from its draft. */
export async function proveAudit(db: Db, home: string): Promise<void> {
  await drained(db)
  const ids: string[] = []
  const hashes: string[] = []
  const verification = await verifyFile(join(home, 'audit.jsonl'), {
    onRecord({ event, hash }) {
      ids.push(event.id)
      hashes.push(hash)
    },
  })
  expect(verification.broken).toBeUndefined()
  expect(new Set(ids).size).toBe(ids.length)
  const lined = await db<{ draft: AuditDraft }[]>`select draft from audit_outbox order by seq`
  expect(lined.map(({ draft }) => draft.id)).toEqual(ids)
  let head = GENESIS
  for (const { draft } of lined) head = chainRecord(head, draft, sha256).record
  expect(head).toMatchObject({ seq: ids.length, hash: hashes.at(-1) ?? GENESIS.hash })
}

async function drained(db: Db): Promise<void> {
  const deadline = Date.now() + PATIENCE.timeout
  for (;;) {
    const [row] = await db<{ n: number }[]>`select count(*)::int as n from audit_outbox where seq is null`
    if (row?.n === 0) return
    if (Date.now() > deadline) throw new Error(`${row?.n} records are not in the audit chain`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
