import fc from 'fast-check'
import { expect, it } from 'vitest'
import { endedBefore, type NeedingStep, orderSteps } from '#core/pipeline/order-steps.ts'

/** Steps that need only those before them in some order, in the order of a file that knows nothing of it. */
const acyclic = fc
  .integer({ min: 1, max: 25 })
  .chain((size) =>
    fc.tuple(
      fc.array(fc.array(fc.nat({ max: 1_000 }), { maxLength: 4 }), { minLength: size, maxLength: size }),
      fc.array(fc.nat(), { minLength: size, maxLength: size }),
    ),
  )
  .map(([picks, shuffle]) => {
    const steps = picks.map((pick, index): NeedingStep => {
      const needs = index === 0 ? [] : [...new Set(pick.map((each) => `s${each % index}`))]
      return { id: `s${index}`, needs }
    })
    return steps
      .map((step, index) => ({ step, at: shuffle[index] ?? 0 }))
      .sort((a, b) => a.at - b.at)
      .map(({ step }) => step)
  })

const anyGraph = fc
  .integer({ min: 1, max: 12 })
  .chain((size) =>
    fc.array(fc.uniqueArray(fc.nat({ max: size - 1 }), { maxLength: 4 }), { minLength: size, maxLength: size }),
  )
  .map((needs) => needs.map((each, index): NeedingStep => ({ id: `s${index}`, needs: each.map((to) => `s${to}`) })))

const placeIn = (order: readonly NeedingStep[]) => new Map(order.map(({ id }, index) => [id, index]))

it('each step comes after all that it needs, and none is lost', () => {
  fc.assert(
    fc.property(acyclic, (steps) => {
      const { order, cycles } = orderSteps(steps)
      expect(cycles).toEqual([])
      expect([...order].sort((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
        [...steps].sort((a, b) => (a.id < b.id ? -1 : 1)),
      )
      const place = placeIn(order)
      for (const { id, needs } of order)
        for (const needed of needs) expect(place.get(needed)).toBeLessThan(place.get(id) ?? 0)
    }),
  )
})

it('of the steps that could come next, the first of the file does', () => {
  fc.assert(
    fc.property(acyclic, (steps) => {
      const { order } = orderSteps(steps)
      const inFile = placeIn(steps)
      order.forEach((step, index) => {
        const before = new Set(order.slice(0, index).map(({ id }) => id))
        const possible = order.slice(index).filter(({ needs }) => needs.every((id) => before.has(id)))
        const places = possible.map(({ id }) => inFile.get(id) ?? 0)
        expect(inFile.get(step.id)).toBe(Math.min(...places))
      })
    }),
  )
})

it('a graph has a circle exactly when one is named, and each circle that is named is one', () => {
  fc.assert(
    fc.property(anyGraph, (steps) => {
      const { cycles } = orderSteps(steps)
      const before = endedBefore(steps)
      const isCyclic = steps.some(({ id }) => before.get(id)?.has(id))
      expect(cycles.length > 0).toBe(isCyclic)
      for (const cycle of cycles)
        cycle.forEach((id, index) => {
          const next = cycle[(index + 1) % cycle.length]
          expect(steps.find((step) => step.id === id)?.needs).toContain(next)
        })
    }),
    { numRuns: 500 },
  )
})
