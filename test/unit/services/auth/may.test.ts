import { expect, it } from 'vitest'
import { may, ON_BEHALF } from '#services/auth/may.ts'

it.each<[string[], string[], boolean]>([
  [['service'], [], false],
  [['service'], [ON_BEHALF], true],
  [['service', 'viewer'], [], false],
  [['service', 'approver'], [], true],
  [['viewer'], [ON_BEHALF], false],
  [['operator'], [], true],
])('%j with the scopes %j decides: %s', (roles, scopes, decides) => {
  expect(may({ roles, scopes }, 'approver')).toBe(decides)
})

it('a service account does what an operator may, no matter what stands beside it', () => {
  expect(may({ roles: ['service', 'viewer'], scopes: [] }, 'operator')).toBe(true)
})
