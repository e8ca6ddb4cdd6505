import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { uncovered } from '#core/gate/requirement.ts'
import { tally, type Vote } from '#core/gate/tally.ts'
import type { Required } from '#core/gate/types.ts'

const plain: Required = { approvals: 1, approval_roles: [], prevent_self: false }
const anyRequired: fc.Arbitrary<Required> = fc.record(
  {
    approvals: fc.integer({ min: 1, max: 3 }),
    approval_roles: fc.array(fc.subarray(['sre', 'security', 'lead'], { minLength: 1 }), { maxLength: 2 }),
    prevent_self: fc.boolean(),
    require_note: fc.constantFrom('always', 'reject'),
    require_plan_hash: fc.boolean(),
    freezes: fc.subarray(['weekend', 'holidays']),
  },
  { requiredKeys: ['approvals', 'approval_roles', 'prevent_self'] },
)
const anyVotes: fc.Arbitrary<Vote[]> = fc.array(
  fc.record({
    by: fc.constantFrom('a', 'b', 'c', 'd'),
    decision: fc.constant('approve' as const),
    roles: fc.subarray(['sre', 'security', 'lead']),
  }),
)

describe('an approval', () => {
  it('covers what it was given for', () => {
    fc.assert(fc.property(anyRequired, (required) => uncovered(required, required) === undefined))
  })

  it.each<[string, Partial<Required>, string]>([
    ['another voice', { approvals: 2 }, 'policy_changed'],
    ['a role', { approval_roles: [['sre']] }, 'policy_changed'],
    ['somebody else', { prevent_self: true }, 'policy_changed'],
    ['a note', { require_note: 'always' }, 'policy_changed'],
    ['the plan hash', { require_plan_hash: true }, 'policy_changed'],
    ['a freeze without approvers that began since', { freezes: ['weekend'] }, 'frozen'],
    ['a freeze with approvers', { freezes: ['weekend'], approval_roles: [['cto']] }, 'frozen'],
  ])('does not cover a step that now takes %s', (_, change, reason) => {
    expect(uncovered(plain, { ...plain, ...change })).toBe(reason)
    expect(uncovered({ ...plain, ...change }, plain)).toBeUndefined()
  })

  it('from one freeze does not cover another', () => {
    expect(uncovered({ ...plain, freezes: ['weekend'] }, { ...plain, freezes: ['weekend', 'holidays'] })).toBe('frozen')
  })

  it('is unmoved by notes on rejections', () => {
    expect(uncovered(plain, { ...plain, require_note: 'reject' })).toBeUndefined()
  })

  it('that covers would have been given under the rules of now as well', () => {
    fc.assert(
      fc.property(anyRequired, anyRequired, anyVotes, (held, required, votes) => {
        if (uncovered(held, required) !== undefined) return
        if (tally(held, votes) === 'approved') expect(tally(required, votes)).toBe('approved')
      }),
    )
  })
})
