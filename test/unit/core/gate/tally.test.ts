import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countApprovals, refusal, tally, unmetClauses, type Vote } from '#core/gate/tally.ts'
import type { Required } from '#core/gate/types.ts'

const one: Required = { approvals: 1, approval_roles: [], prevent_self: false }
const two: Required = { ...one, approvals: 2 }
const sreAndSecurity: Required = { ...one, approval_roles: [['sre', 'lead'], ['security']] }
const approve = (by: string, ...roles: string[]): Vote => ({ by, decision: 'approve', roles })
const unchecked = (role: string): Vote => ({ by: 'anyone', decision: 'approve', roles: [role], asserted: true })
const reject = (by: string): Vote => ({ by, decision: 'reject' })

const anyRequired: fc.Arbitrary<Required> = fc.record({
  approvals: fc.integer({ min: 1, max: 3 }),
  approval_roles: fc.array(fc.subarray(['sre', 'security', 'lead'], { minLength: 1 }), { maxLength: 2 }),
  prevent_self: fc.boolean(),
})
const anyVote: fc.Arbitrary<Vote> = fc.record({
  by: fc.constantFrom('usr_a', 'usr_b', 'usr_c', 'usr_local'),
  decision: fc.constantFrom('approve', 'approve', 'reject'),
  roles: fc.subarray(['sre', 'security', 'lead', 'owner']),
  asserted: fc.boolean(),
})

describe('a tally', () => {
  it('is open without votes', () => {
    expect(tally(one, [])).toBe('open')
  })

  it('takes the quorum from distinct identities', () => {
    expect(tally(two, [approve('a'), approve('a')])).toBe('open')
    expect(tally(two, [approve('a'), approve('b')])).toBe('approved')
    expect(countApprovals(two, [approve('a'), approve('a'), reject('b')])).toEqual({ have: 1, need: 2 })
  })

  it('takes one approver of every role clause', () => {
    expect(tally(sreAndSecurity, [approve('a', 'sre')])).toBe('open')
    expect(unmetClauses(sreAndSecurity, [approve('a', 'sre')])).toEqual([['security']])
    expect(tally(sreAndSecurity, [approve('a', 'lead'), approve('b', 'security')])).toBe('approved')
    expect(tally(sreAndSecurity, [approve('a', 'sre', 'security')])).toBe('approved')
    expect(tally(sreAndSecurity, [approve('a', 'SRE'), approve('b', 'security')])).toBe('open')
  })

  it('lets an identity that nobody checks stand for every role, as owner or admin only, and nobody else', () => {
    expect(tally(sreAndSecurity, [unchecked('owner')])).toBe('approved')
    expect(tally(sreAndSecurity, [unchecked('admin')])).toBe('approved')
    expect(tally(sreAndSecurity, [unchecked('operator')])).toBe('open')
    expect(tally(sreAndSecurity, [approve('usr_1', 'owner', 'admin')])).toBe('open')
  })

  it('is rejected by any rejection, whatever else was said', () => {
    fc.assert(
      fc.property(anyRequired, fc.array(anyVote), (required, votes) => {
        if (votes.some((vote) => vote.decision === 'reject')) expect(tally(required, votes)).toBe('rejected')
      }),
    )
  })

  it('never approves below what is required, and asking for more never approves sooner', () => {
    fc.assert(
      fc.property(anyRequired, anyRequired, fc.array(anyVote), (required, more, votes) => {
        if (tally(required, votes) === 'approved') {
          const { have, need } = countApprovals(required, votes)
          expect(have).toBeGreaterThanOrEqual(need)
          expect(unmetClauses(required, votes)).toEqual([])
        }
        const stricter = {
          ...required,
          approvals: Math.max(required.approvals, more.approvals),
          approval_roles: [...required.approval_roles, ...more.approval_roles],
        }
        if (tally(stricter, votes) === 'approved') expect(tally(required, votes)).toBe('approved')
      }),
    )
  })

  it('counts no vote without an identity and none that is neither approval nor rejection', () => {
    const odd: Vote[] = [approve(''), JSON.parse('{"by":"a","decision":"approved"}'), JSON.parse('{"by":"b"}')]
    expect(tally(one, odd)).toBe('open')
  })
})

describe('a vote is refused', () => {
  it.each<[string, Required, Vote[], Vote, string | null, string | undefined]>([
    ['after an approval', one, [approve('a')], approve('b'), null, 'gate_resolved'],
    ['after a rejection', two, [reject('a')], approve('b'), null, 'gate_resolved'],
    ['when it is said twice', two, [approve('a')], approve('a'), null, 'conflict'],
    ['when it approves one\u2019s own request', { ...one, prevent_self: true }, [], approve('a'), 'a', 'self_approval'],
    ['without any of the roles', sreAndSecurity, [], approve('a', 'viewer', 'owner'), null, 'approver_not_allowed'],
    ['without an identity', one, [], approve(''), null, 'approver_not_allowed'],
    [
      'by an unchecked identity without the role',
      sreAndSecurity,
      [],
      unchecked('viewer'),
      null,
      'approver_not_allowed',
    ],
  ])('%s', (_, required, votes, vote, requestedBy, code) => {
    expect(refusal(required, votes, vote, requestedBy)).toBe(code)
  })

  it.each<[string, Required, Vote[], Vote, string | null]>([
    ['an approval of a stranger\u2019s request', { ...one, prevent_self: true }, [], approve('a'), 'b'],
    ['an approval that no known person requested', { ...one, prevent_self: true }, [], approve('a'), null],
    ['an approval of one\u2019s own request where that is allowed', one, [], approve('a'), 'a'],
    ['an approval with one of the roles', sreAndSecurity, [], approve('a', 'lead'), null],
    ['a rejection of one\u2019s own request', { ...one, prevent_self: true }, [], reject('a'), 'a'],
    ['a rejection without a role', sreAndSecurity, [], reject('a'), null],
    ['a change of mind towards no', two, [approve('a')], reject('a'), null],
  ])('not for %s', (_, required, votes, vote, requestedBy) => {
    expect(refusal(required, votes, vote, requestedBy)).toBeUndefined()
  })

  it('whenever the gate is not open any more, so that the first resolution stands', () => {
    fc.assert(
      fc.property(anyRequired, fc.array(anyVote), anyVote, (required, votes, vote) => {
        if (tally(required, votes) !== 'open') expect(refusal(required, votes, vote, null)).toBe('gate_resolved')
      }),
    )
  })
})
