import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deliveryEnd } from '#core/inbox/delivery-end.ts'
import { REFUSED_OUTCOMES, refusalOf, SIGNAL_OUTCOMES, START_REFUSALS } from '#core/trigger/outcome.ts'

const parts = fc.array(fc.record({ outcome: fc.constantFrom(...SIGNAL_OUTCOMES), run_id: fc.string() }))

test('a delivery that started a run is started, no matter what else it held', () => {
  fc.assert(
    fc.property(parts, (some) => {
      const end = deliveryEnd([...some, { outcome: 'started', run_id: 'run_last' }])
      expect(end.status).toBe('started')
    }),
  )
})

test('the status does not depend on the order of the alerts', () => {
  fc.assert(
    fc.property(parts, (some) => {
      expect(deliveryEnd(some.toReversed()).status).toBe(deliveryEnd(some).status)
    }),
  )
})

test('a refusal says which', () => {
  expect(deliveryEnd([{ outcome: 'unmatched' }, { outcome: 'frozen', detail: 'until Monday' }])).toEqual({
    status: 'failed',
    error: { code: 'frozen', message: 'until Monday' },
  })
})

test('nothing that matched is unmatched', () => {
  expect(deliveryEnd([])).toEqual({ status: 'unmatched' })
  expect(deliveryEnd([{ outcome: 'suppressed' }])).toEqual({ status: 'unmatched' })
})

test('what was suppressed says why, unless a run came of another part', () => {
  const late = { outcome: 'suppressed', detail: 'it came late' } as const
  expect(deliveryEnd([{ outcome: 'unmatched' }, late])).toEqual({
    status: 'unmatched',
    error: { code: 'suppressed', message: 'it came late' },
  })
  expect(deliveryEnd([late, { outcome: 'started', run_id: 'run_a' }])).toEqual({ status: 'started', run_id: 'run_a' })
})

test('every code of a refusal is told by its own outcome', () => {
  for (const outcome of REFUSED_OUTCOMES) expect(START_REFUSALS).toHaveProperty(refusalOf(outcome) ?? '', outcome)
  for (const outcome of SIGNAL_OUTCOMES) expect(deliveryEnd([{ outcome }]).error?.code).toBe(refusalOf(outcome))
})
