import { expect, it } from 'vitest'
import { loosenedGates } from '#core/config/changes.ts'

it.each([
  ['a dropped action type', ['a', 'b'], ['b'], ['requires_approval']],
  ['one more action type', ['a'], ['b', 'a'], []],
])('%s', (_, was, is, expected) => {
  expect(loosenedGates({ requires_approval: was }, { requires_approval: is })).toEqual(expected)
})

it('a plan hash that is not required any more, and a wider limit', () => {
  const strict = { requires_approval: ['a'], require_plan_hash: true, limits: { max_usd: 1 } }
  const lax = { requires_approval: ['a'], limits: { max_usd: 2 } }
  expect(loosenedGates(strict, lax)).toEqual(['require_plan_hash', 'limits.max_usd'])
  expect(loosenedGates(lax, strict)).toEqual([])
  expect(loosenedGates(undefined, strict)).toEqual([])
  expect(loosenedGates(strict, undefined)).toEqual(['requires_approval', 'require_plan_hash', 'limits.max_usd'])
})
