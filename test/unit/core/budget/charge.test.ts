import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chargeOf, costOf } from '#core/budget/charge.ts'
import { type Cost, totalCost } from '#core/money.ts'

const amount = fc.nat({ max: 5_000_000 })
const cost: fc.Arbitrary<Cost> = fc.record({ llm: amount, gpu: amount, storage: amount })
const partial = fc.record({ llm: amount, gpu: amount, storage: amount }, { requiredKeys: [] })

test('without a report all that was reserved is charged, kind by kind', () => {
  fc.assert(
    fc.property(cost, (reserved) => {
      expect(chargeOf(reserved, undefined)).toEqual({ cost: reserved, overrun: 0, basis: 'estimate' })
    }),
  )
})

test('a report is charged up to what was reserved, and what is beyond stands beside it: nothing is lost, no cap is passed', () => {
  fc.assert(
    fc.property(cost, partial, (reserved, reported) => {
      const charge = chargeOf(reserved, reported)
      expect(totalCost(charge.cost)).toBeLessThanOrEqual(totalCost(reserved))
      expect(totalCost(charge.cost) + charge.overrun).toBe(totalCost(costOf(reported)))
      if (charge.overrun === 0) expect(charge.cost).toEqual(costOf(reported))
      else expect(totalCost(charge.cost)).toBe(totalCost(reserved))
      expect(charge.basis).toBe('reported')
    }),
  )
})

test('to report more never makes it cheaper', () => {
  fc.assert(
    fc.property(cost, cost, fc.constantFrom('llm', 'gpu', 'storage'), amount, (reserved, reported, kind, more) => {
      const [less, dearer] = [reported, { ...reported, [kind]: reported[kind] + more }].map((each) =>
        totalCost(chargeOf(reserved, each).cost),
      )
      expect(dearer).toBeGreaterThanOrEqual(less ?? 0)
    }),
  )
})

test('a report of nothing is a report', () => {
  expect(chargeOf({ llm: 5, gpu: 0, storage: 0 }, {})).toMatchObject({ cost: costOf({}), basis: 'reported' })
})

test('fractions are rounded up; what is no amount is no report', () => {
  const reserved = { llm: 10, gpu: 0, storage: 0 }
  expect(chargeOf(reserved, { llm: 2.1 }).cost).toEqual({ llm: 3, gpu: 0, storage: 0 })
  for (const llm of [-1, -0.5, Number.NaN, Number.POSITIVE_INFINITY, 1e300])
    expect(chargeOf(reserved, { llm })).toEqual({ cost: reserved, overrun: 0, basis: 'estimate' })
})
