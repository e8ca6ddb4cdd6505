import { expect, it } from 'vitest'
import { environmentOf } from '#activities/run/run-session.ts'
import { freezesOn, isBlocking } from '#core/freeze/active-freeze.ts'

it('is production in which nothing does more than read, where it is not known what an environment restricts', () => {
  const environment = environmentOf({ environments: { get: () => undefined, profile: () => never() } }, 'edge')
  expect(environment).toMatchObject({
    class: 'production',
    cost_gate: { max_usd: 0 },
    approval: { prevent_self: true, links: false },
    egress: [],
    connections: {},
  })
  const now = Date.parse('2026-06-01T12:00:00Z')
  expect(freezesOn(environment, now, true).every(isBlocking)).toBe(true)
  expect(freezesOn(environment, now, true)).toHaveLength(1)
  expect(freezesOn(environment, now, false)).toEqual([])
})

function never(): never {
  throw new Error('not asked for')
}
