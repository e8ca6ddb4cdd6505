import { expect, it } from 'vitest'
import { nameFor } from '#services/auth/may.ts'

const of = (roles: ('viewer' | 'auditor' | 'approver')[]) => ({ roles, scopes: [] })

it('tells a mail address only to approvers and auditors, and any other name to everyone', () => {
  expect(nameFor(of(['viewer']), 'ann@example.test')).toBeUndefined()
  for (const role of ['approver', 'auditor'] as const)
    expect(nameFor(of([role]), 'ann@example.test')).toBe('ann@example.test')
  expect(nameFor(of(['viewer']), 'Ann\u202e')).toBe('Ann\\u{202e}')
  expect(nameFor(of(['viewer']), null)).toBeUndefined()
})
