import { expect, onTestFinished, test, vi } from 'vitest'
import { LEASE_MS } from '#core/lease/lease.ts'
import { holderName } from '#platform/ids.ts'
import { createAuditFile } from '#store/audit/audit-file.ts'
import { createAuditOutbox } from '#store/audit/audit-outbox.ts'
import type { Statements } from '#store/db.ts'
import { createLeases, type Leases } from '#store/leases.ts'
import { createSessionLocks } from '#store/sql/session-locks.ts'
import { lineUp, testDraft } from '#test/support/audit-log.ts'
import { layLine } from '#test/support/cut-line.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { PATIENCE } from '#test/support/patience.ts'

const database = testDatabase()

function leasesAt(url = database.url): Leases {
  const leases = createLeases(url, holderName())
  onTestFinished(leases.close)
  return leases
}

/** A line to the database that can go silent. */
async function silentLine() {
  const { host } = new URL(database.url)
  const line = await layLine(host)
  onTestFinished(line.stop)
  return { ...line, url: database.url.replace(host, line.address) }
}

const rowOf = async (name: string) => {
  const [row] = await database.db`
    select epoch, expires_at > clock_timestamp() as runs from leases where name = ${name}`
  return row
}

test('one process has a lease at a time, for as long as it renews it, and the next one has a higher epoch', async () => {
  const [one, other] = [leasesAt(), leasesAt()]
  const first = await one.take('a')
  expect(first).toMatchObject({ token: { name: 'a', epoch: 1 } })
  expect([await other.take('a'), await one.take('a')]).toEqual([undefined, undefined])
  const end = performance.now() + LEASE_MS + 500
  await vi.waitFor(() => expect(performance.now()).toBeGreaterThan(end), PATIENCE)
  expect(first?.held()).toBe(true)
  expect(await other.take('a')).toBeUndefined()
  await first?.release()
  expect(first?.held()).toBe(false)
  expect((await other.take('a'))?.token.epoch).toBe(2)
})

test('a holder that is cut off without a word stops before the lease is free, and is told once', async () => {
  const line = await silentLine()
  const lost: string[] = []
  const before = await leasesAt(line.url).take('b', () => void lost.push('b'))
  line.swallow()
  const next = leasesAt()
  const taken = await vi.waitFor(async () => {
    const lease = await next.take('b')
    // never two, whenever it is asked
    if (lease !== undefined) expect(before?.held()).toBe(false)
    return lease ?? expect.fail('not free yet')
  }, PATIENCE)
  expect(taken.token.epoch).toBe(2)
  await vi.waitFor(() => expect(lost).toEqual(['b']), PATIENCE)
  line.resume()
  expect([before?.held(), taken.held()]).toEqual([false, true])
})

test('a lost connection is no lost lease', async () => {
  const line = await silentLine()
  const lease = await leasesAt(line.url).take('c')
  line.cut()
  line.mend()
  const end = performance.now() + LEASE_MS + 500
  await vi.waitFor(() => expect(performance.now()).toBeGreaterThan(end), PATIENCE)
  expect([lease?.held(), await rowOf('c')]).toEqual([true, { epoch: 1, runs: true }])
})

test('whatever a leader writes of the chain is refused once the epoch has moved, and changes nothing', async () => {
  const leases = leasesAt()
  const old = await leases.take('d')
  await old?.release()
  await leases.take('d')
  const outbox = createAuditOutbox(database.db)
  const file = createAuditFile(database.db)
  const token = old?.token ?? expect.fail('no lease')
  const [draft] = await lineUp(database, [testDraft(1)])
  const places = [{ id: draft?.outbox_id ?? 0, seq: 1, hash: 'a hash' }]
  const problem = { kind: 'broken', seq: 1, detail: 'broken' } as const
  for (const write of [
    () => outbox.mark(places, token),
    () => outbox.appendOnce(testDraft(2), token),
    () => outbox.adopt([{ seq: 1, hash: 'a hash', draft: testDraft(3) }], testDraft(4), token),
    () => file.found(problem, testDraft(5), token),
    () => file.passed(1, token),
  ])
    await expect(write()).rejects.toThrow('the lease d is no longer that of epoch 1')
  expect((await outbox.waiting(10)).map(({ id }) => id)).toEqual([draft?.outbox_id])
  expect(await file.read()).toMatchObject({ problem: null, findings: 0, passed_seq: null })
})

test('a place in the chain that is noted again stays as it is', async () => {
  const { token } = (await leasesAt().take('f')) ?? expect.fail('no lease')
  const outbox = createAuditOutbox(database.db)
  const [first, second] = await lineUp(database, [testDraft(6), testDraft(7)])
  const [one, two] = [first, second].map((each, n) => ({ id: each?.outbox_id ?? 0, seq: n + 1, hash: `hash ${n + 1}` }))
  if (one === undefined || two === undefined) return expect.fail('no drafts')
  await outbox.mark([one], token)
  await outbox.mark([{ ...one, hash: 'another' }, two], token)
  expect([...(await outbox.marks(0, 2))]).toEqual([
    [1, 'hash 1'],
    [2, 'hash 2'],
  ])
})

test('nobody takes a lease while a write that was let through by it has not committed', async () => {
  const leases = leasesAt()
  const { epoch } = (await leases.take('e'))?.token ?? expect.fail('no lease')
  let taken: number | undefined
  const waiting = await database.db.begin(async (tx) => {
    await tx`select require_lease('e', ${epoch})`
    const next = database.db<{ epoch: number }[]>`
      with run_out as (update leases set expires_at = clock_timestamp() where name = 'e')
      select 1 as epoch`
    await next
    const take = database.db<{ epoch: number }[]>`select take_lease('e', 'another', 3000) as epoch`.then(([row]) => {
      taken = row?.epoch
    })
    await vi.waitFor(async () => {
      const rows = await tx`select from pg_locks where not granted`
      expect(rows.length).toBeGreaterThan(0)
    }, PATIENCE)
    expect(taken).toBeUndefined()
    return [take]
  })
  await Promise.all(waiting)
  expect(taken).toBe(epoch + 1)
})

test('two that take an expired lease at the same moment do not both get it', async () => {
  await database.db`insert into leases (name, holder, epoch, expires_at) values ('raced', 'gone', 1, clock_timestamp() - interval '1 second')`
  const take = (db: Statements, holder: string) =>
    db<{ epoch: number | null }[]>`select take_lease('raced', ${holder}, 3000) as epoch`
  const [late] = await database.db.begin(async (tx) => {
    expect(await take(tx, 'one')).toEqual([{ epoch: 2 }])
    // its statement begins while the lease is still expired, and waits for the row
    const other = take(database.db, 'other').execute()
    await vi.waitFor(async () => {
      const rows = await tx`select from pg_locks where not granted`
      expect(rows.length).toBeGreaterThan(0)
    }, PATIENCE)
    return [other]
  })
  expect(await late).toEqual([{ epoch: null }])
})

test('a session lock falls when its process says nothing for three seconds, and its holder stops before', async () => {
  const line = await silentLine()
  const locks = createSessionLocks(line.url, 'test-locks')
  onTestFinished(locks.close)
  const others = createSessionLocks(database.url, 'test-locks-too')
  onTestFinished(others.close)
  const lock = await locks.take('place')
  expect([lock?.held(), await others.take('place')]).toEqual([true, undefined])
  line.swallow()
  await vi.waitFor(async () => {
    const taken = await others.take('place')
    if (taken !== undefined) expect(lock?.held()).toBe(false)
    expect(taken).toBeDefined()
  }, PATIENCE)
})
