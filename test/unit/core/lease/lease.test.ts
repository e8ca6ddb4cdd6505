import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type HeldLease, isHeld, LEASE_MS, renewed, taken } from '#core/lease/lease.ts'

/** What the database knows of the lease, by its own clock. */
interface Row {
  holder: number
  epoch: number
  expires_at: number
}

/** A process with a monotonic clock of its own, and at most one statement under way. */
interface Process {
  clock_offset: number
  lease: HeldLease | undefined
  sent: { at: number; kind: 'take' | 'renew' } | undefined
  answer: { epoch: number | undefined; sent_at: number; kind: 'take' | 'renew' } | undefined
}

const step = fc.record({
  passes_ms: fc.integer({ min: 0, max: 2_000 }),
  process: fc.integer({ min: 0, max: 2 }),
  // a statement is sent, executed and answered in any order with those of others, or lost on either way
  does: fc.constantFrom('send_take', 'send_renew', 'execute', 'answer', 'lose_statement', 'lose_answer', 'release'),
})

test('no two processes hold a lease at once, no matter what their clocks show and however late anything arrives', () => {
  const offsets = fc.array(fc.integer({ min: -86_400_000, max: 86_400_000 }), { minLength: 4, maxLength: 4 })
  fc.assert(
    fc.property(offsets, fc.array(step, { maxLength: 200 }), ([database_offset = 0, ...clocks], steps) => {
      const processes: Process[] = clocks.map((clock_offset) => ({
        clock_offset,
        lease: undefined,
        sent: undefined,
        answer: undefined,
      }))
      let row: Row = { holder: -1, epoch: 0, expires_at: Number.NEGATIVE_INFINITY }
      let now = 0
      for (const { passes_ms, process: index, does } of steps) {
        now += passes_ms
        const one = processes[index]
        if (one === undefined) continue
        const clock = now + one.clock_offset
        const database_clock = now + database_offset
        if (does === 'send_take' && one.sent === undefined && one.answer === undefined) {
          // as in the store: anyone who holds it, by its own account, asks for no other
          if (one.lease === undefined || !isHeld(one.lease, clock)) one.sent = { at: clock, kind: 'take' }
        } else if (does === 'send_renew' && one.sent === undefined && one.answer === undefined) {
          if (one.lease !== undefined && isHeld(one.lease, clock)) one.sent = { at: clock, kind: 'renew' }
        } else if (does === 'execute' && one.sent !== undefined) {
          const { at, kind } = one.sent
          const before = row.epoch
          if (kind === 'take' && (row.holder === index || row.expires_at <= database_clock))
            row = { holder: index, epoch: row.epoch + 1, expires_at: database_clock + LEASE_MS }
          else if (kind === 'renew' && row.holder === index && row.epoch === one.lease?.epoch)
            row = { ...row, expires_at: database_clock + LEASE_MS }
          const isOurs = kind === 'take' ? row.epoch > before : row.holder === index && row.epoch === one.lease?.epoch
          one.answer = { epoch: isOurs ? row.epoch : undefined, sent_at: at, kind }
          one.sent = undefined
        } else if (does === 'answer' && one.answer !== undefined) {
          const { epoch, sent_at, kind } = one.answer
          one.answer = undefined
          if (epoch === undefined) one.lease = kind === 'renew' ? undefined : one.lease
          else if (kind === 'take') one.lease = taken(epoch, sent_at)
          else if (one.lease !== undefined) one.lease = renewed(one.lease, sent_at, clock)
        } else if (does === 'lose_statement') one.sent = undefined
        else if (does === 'lose_answer') one.answer = undefined
        else if (does === 'release' && one.lease !== undefined && isHeld(one.lease, clock)) {
          if (row.epoch === one.lease.epoch) row = { ...row, expires_at: database_clock }
          one.lease = undefined
        }
        const holders = processes.filter((each) => each.lease && isHeld(each.lease, now + each.clock_offset))
        expect(holders.length).toBeLessThanOrEqual(1)
        // and anyone who holds it has the epoch with which its writes are let through
        for (const each of holders) expect(each.lease?.epoch).toBe(row.epoch)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('a renewal that is confirmed after the end revives nothing', () => {
  const lease = taken(1, 0)
  expect(isHeld(renewed(lease, 1_000, lease.until), lease.until)).toBe(false)
  expect(renewed(lease, 1_000, lease.until - 1).until).toBe(lease.until + 1_000)
})
