import { describe, expect, it } from 'vitest'
import { chainRecord, GENESIS } from '#core/audit/chain.ts'
import type { AuditRecord } from '#core/audit/types.ts'
import { verifySlice } from '../../../console/src/lib/verify-slice.ts'
import { draft, sha256 } from '../core/audit/drafts.ts'

const RUN = `run_${'1'.repeat(26)}`
const chain: AuditRecord[] = []
for (let n = 1, head = GENESIS; n <= 9; n += 1) {
  const { record } = chainRecord(
    head,
    draft(n, { run_id: RUN, data: { n, text: 'Größe – \u{1f512}', ratio: n / 3 } }),
    sha256,
  )
  head = record
  chain.push(record)
}
const of = (...places: number[]) => places.map((place) => structuredClone(chain[place - 1]) as AuditRecord)
const verify = (records: AuditRecord[]) => verifySlice(records as never, RUN)

describe('a part of the chain in the browser', () => {
  it('is verified no matter in what order it comes, with what it proves and what stands between', async () => {
    expect(await verify(of(7, 3, 2, 1, 6))).toEqual({
      faults: [],
      stretches: [
        { from: 1, to: 3 },
        { from: 6, to: 7 },
      ],
      links: { held: 3, possible: 4 },
      between: 2,
    })
    expect(await verify(of())).toMatchObject({ faults: [], stretches: [] })
  })

  const changes: [string, (record: AuditRecord) => void, object[]][] = [
    ['a word of the content', (record) => Object.assign(record.event.data, { n: 8 }), [{ seq: 2, fault: 'hash' }]],
    ['a member that was added', (record) => Object.assign(record.event, { more: null }), [{ seq: 2, fault: 'hash' }]],
    [
      'the hash',
      (record) => Object.assign(record, { hash: 'f'.repeat(64) }),
      [
        { seq: 2, fault: 'hash' },
        { seq: 3, fault: 'link' },
      ],
    ],
    [
      'the hash before',
      (record) => Object.assign(record, { prev_hash: 'f'.repeat(64) }),
      [
        { seq: 2, fault: 'hash' },
        { seq: 2, fault: 'link' },
      ],
    ],
    [
      'a word that has no canonical form',
      (record) => Object.assign(record.event.data, { n: '\ud800' }),
      [{ seq: 2, fault: 'hash' }],
    ],
    ['the number', (record) => Object.assign(record, { seq: 5 }), [{ seq: 5, fault: 'seq' }]],
  ]
  it.each(changes)('shows at which record %s was changed', async (_what, change, faults) => {
    const records = of(1, 2, 3)
    change(records[1] as AuditRecord)
    expect((await verify(records)).faults).toEqual(expect.arrayContaining(faults))
    expect((await verify(records)).faults).toHaveLength(faults.length)
  })

  it('shows a record that was rehashed by the one behind it', async () => {
    const records = of(4, 5, 6)
    const middle = records[1] as AuditRecord
    Object.assign(middle.event.data, { n: 0 })
    middle.hash = chainRecord({ seq: 4, hash: middle.prev_hash }, middle.event, sha256).record.hash
    expect((await verify(records)).faults).toEqual([{ seq: 6, fault: 'link' }])
  })

  it('takes no record twice, none of another run, and no first record with something before it', async () => {
    expect((await verify([...of(3, 4), ...of(4)])).faults).toEqual([{ seq: 4, fault: 'place' }])
    expect((await verifySlice(of(3) as never, `run_${'2'.repeat(26)}`)).faults).toEqual([{ seq: 3, fault: 'run' }])
    const first = chainRecord({ seq: 0, hash: 'a'.repeat(64) }, draft(1, { run_id: RUN }), sha256).record
    expect((await verify([first])).faults).toEqual([{ seq: 1, fault: 'link' }])
  })
})
