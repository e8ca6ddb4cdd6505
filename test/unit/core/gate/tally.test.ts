import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countApprovals, countedVotes, refusal, tally, unmetClauses, type Vote } from '#core/gate/tally.ts'
import type { Required } from '#core/gate/types.ts'

const one: Required = { approvals: 1, approval_roles: [], prevent_self: false }
const two: Required = { ...one, approvals: 2 }
const sreAndSecurity: Required = { ...one, approval_roles: [['sre', 'lead'], ['security']] }
const approve = (by: string, ...roles: string[]): Vote => ({ by, decision: 'approve', roles })
const unchecked = (role: string): Vote => ({ by: 'anyone', decision: 'approve', roles: [role], asserted: true })
/** through a service account, in somebody's name */
const by = (via: string, who: string): Vote => ({ by: who, decision: 'approve', roles: [], via })
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

describe('a quorum with a role', () => {
  const twoWithDba: Required = { ...two, approval_roles: [['dba']] }
  const [dba, other, third] = [approve('a', 'approver', 'dba'), approve('b', 'approver'), approve('c', 'approver')]

  it.each([
    ['the role first', [dba, other]],
    ['the role last', [other, dba]],
  ])('takes one vote with the role and one of any approver: %s', (_order, votes) => {
    for (const [index, vote] of votes.entries()) {
      expect(tally(twoWithDba, votes.slice(0, index))).toBe('open')
      expect(refusal(twoWithDba, votes.slice(0, index), vote, [])).toBeUndefined()
    }
    expect(tally(twoWithDba, votes)).toBe('approved')
  })

  it('keeps the last vote for the role, and takes no further one of somebody unknown', () => {
    expect(refusal(twoWithDba, [other], third, [])).toBe('approver_not_allowed')
    expect(tally(twoWithDba, [other, third])).toBe('open')
    expect(refusal(twoWithDba, [], unchecked('approver'), [])).toBe('approver_not_allowed')
  })

  it('can always be ended by people with the roles that are missing', () => {
    fc.assert(
      fc.property(anyRequired, fc.array(anyVote, { maxLength: 6 }), (required, votes) => {
        const taken: Vote[] = []
        for (const vote of votes)
          if (vote.decision === 'approve' && refusal(required, taken, vote, []) === undefined) taken.push(vote)
        for (let more = 0; tally(required, taken) === 'open'; more++) {
          const next = approve(`usr_more_${more}`, 'approver', ...unmetClauses(required, taken).flat())
          expect(refusal(required, taken, next, [])).toBeUndefined()
          expect(more).toBeLessThan(required.approvals)
          taken.push(next)
        }
      }),
    )
  })
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

  it('is rejected by any rejection, no matter what else was said', () => {
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
  it.each<[string, Required, Vote[], Vote, string[], string | undefined]>([
    ['through a service account that has answered', two, [by('bot', 'a')], by('bot', 'b'), [], 'conflict'],
    ['through the service account that asked', one, [], by('bot', 'a'), ['bot', 'o'], 'self_approval'],
    ['when it is said twice', two, [approve('a')], approve('a'), [], 'conflict'],
    [
      'when it approves one\u2019s own request',
      { ...one, prevent_self: true },
      [],
      approve('a'),
      ['a'],
      'self_approval',
    ],
    [
      'by the person behind the request',
      { ...one, prevent_self: true },
      [],
      approve('a'),
      ['svc', 'a'],
      'self_approval',
    ],
    ['without any of the roles', sreAndSecurity, [], approve('a', 'viewer', 'owner'), [], 'approver_not_allowed'],
    ['without an identity', one, [], approve(''), [], 'approver_not_allowed'],
    ['by an unchecked identity without the role', sreAndSecurity, [], unchecked('viewer'), [], 'approver_not_allowed'],
  ])('%s', (_, required, votes, vote, requesters, code) => {
    expect(refusal(required, votes, vote, requesters)).toBe(code)
  })

  it.each<[string, Required, Vote[], Vote, string[]]>([
    ['an approval of a stranger\u2019s request', { ...one, prevent_self: true }, [], approve('a'), ['b']],
    ['an approval that no known person requested', { ...one, prevent_self: true }, [], approve('a'), []],
    ['an approval of one\u2019s own request where that is allowed', one, [], approve('a'), ['a']],
    ['an approval with one of the roles', sreAndSecurity, [], approve('a', 'lead'), []],
    ['a rejection of one\u2019s own request', { ...one, prevent_self: true }, [], reject('a'), ['a']],
    ['a rejection without a role', sreAndSecurity, [], reject('a'), []],
    ['a change of mind towards no', two, [approve('a')], reject('a'), []],
  ])('not for %s', (_, required, votes, vote, requesters) => {
    expect(refusal(required, votes, vote, requesters)).toBeUndefined()
  })

  it('of everybody who has said the same before, and of nobody who only stops', () => {
    fc.assert(
      fc.property(anyRequired, fc.array(anyVote), anyVote, (required, votes, vote) => {
        const again = votes.some(({ by: who, decision }) => who === vote.by && decision === vote.decision)
        const code = refusal(required, votes, vote, [])
        if (again) expect(code).toBe('conflict')
        else if (vote.decision === 'reject') expect(code).toBeUndefined()
      }),
    )
  })
})

describe('a service account', () => {
  const anyAnswer: fc.Arbitrary<Vote> = fc.record({
    by: fc.constantFrom('usr_a', 'usr_b', 'usr_c', 'usr_d'),
    decision: fc.constant('approve' as const),
    via: fc.constantFrom('bot_1', 'bot_2'),
  })

  it('is one approver, in however many names it answers', () => {
    fc.assert(
      fc.property(fc.array(anyAnswer), (votes) => {
        const counted = countedVotes(two, votes)
        const distinct = (of: (vote: Vote) => string | undefined) => new Set(counted.map(of)).size
        expect([distinct(({ via }) => via), distinct(({ by }) => by)]).toEqual([counted.length, counted.length])
        const isOne = new Set(votes.map(({ via }) => via)).size === 1 || new Set(votes.map(({ by }) => by)).size === 1
        if (isOne) expect(tally(two, votes)).toBe('open')
      }),
    )
  })

  it('and the person behind it, with all their other accounts, is one vote', () => {
    const behind = { behind: ['usr_maker'] }
    fc.assert(
      fc.property(fc.array(anyAnswer, { minLength: 1 }), (answers) => {
        const votes: Vote[] = answers.map((each) => ({ ...each, ...behind }))
        expect(countApprovals(two, votes).have).toBe(1)
        expect(countApprovals(two, [...votes, { by: 'usr_maker', decision: 'approve' }]).have).toBe(1)
        expect(countApprovals(two, [...votes, { by: 'usr_other', decision: 'approve' }]).have).toBe(2)
        expect(tally(one, votes, ['usr_maker'])).toBe('open')
      }),
    )
  })

  it('never answers what it asked for, also where people may', () => {
    fc.assert(
      fc.property(fc.array(anyAnswer), (votes) => {
        expect(tally(one, votes, ['bot_1', 'bot_2'])).toBe('open')
      }),
    )
  })
})

describe('a delegate', () => {
  const away: Vote = { ...approve('d'), delegations: [{ of: 'o', roles: ['security'] }] }
  const anyDelegation = fc.record({
    of: fc.constantFrom('usr_a', 'usr_b', 'usr_c', 'usr_d'),
    roles: fc.subarray(['sre', 'security', 'lead', 'owner', 'admin']),
  })
  const anyRequesters = fc.subarray(['usr_a', 'usr_b', 'usr_c', 'usr_d'])
  const anyDelegated = fc
    .tuple(anyVote, fc.array(anyDelegation, { maxLength: 2 }))
    .map(([vote, delegations]): Vote => ({ ...vote, delegations }))

  it('brings the roles of anyone who is away', () => {
    expect(unmetClauses(sreAndSecurity, [away])).toEqual([['sre', 'lead']])
    expect(refusal(sreAndSecurity, [], away, ['x'])).toBeUndefined()
    expect(tally(sreAndSecurity, [away, approve('a', 'sre')])).toBe('approved')
  })

  it('is one voter, also when the other comes back', () => {
    expect(countApprovals(two, [away])).toEqual({ have: 1, need: 2 })
    expect(tally(two, [away])).toBe('open')
    expect(tally(two, [away, approve('o', 'security')])).toBe('approved')
  })

  it('brings nothing of somebody who asked for the run', () => {
    expect(refusal(sreAndSecurity, [], away, ['o'])).toBe('approver_not_allowed')
    expect(tally(sreAndSecurity, [away, approve('a', 'sre')], ['o'])).toBe('open')
  })

  it('does not stand for every role because the other is an owner', () => {
    const unsafe: Vote = { ...away, asserted: true, delegations: [{ of: 'o', roles: ['owner'] }] }
    expect(unmetClauses(sreAndSecurity, [unsafe])).toHaveLength(2)
  })

  it('never lets somebody approve their own request, in whosever name', () => {
    fc.assert(
      fc.property(
        anyRequired,
        fc.array(anyDelegated),
        anyDelegated,
        anyRequesters,
        (rules, votes, vote, requesters) => {
          const required = { ...rules, prevent_self: true }
          const code = refusal(required, votes, { ...vote, decision: 'approve' }, requesters)
          if (requesters.includes(vote.by)) expect(code).toBeDefined()
          const strangers = votes.filter(({ by, decision }) => decision === 'reject' || !requesters.includes(by))
          expect(tally(required, votes, requesters)).toBe(tally(required, strangers, requesters))
        },
      ),
    )
  })

  it('never hands on the roles of the one who asked for the run', () => {
    fc.assert(
      fc.property(anyRequired, fc.array(anyDelegated), anyRequesters, (required, votes, requesters) => {
        const stripped = votes.map((vote) => ({
          ...vote,
          delegations: (vote.delegations ?? []).filter(({ of }) => !requesters.includes(of)),
        }))
        expect(unmetClauses(required, votes, requesters)).toEqual(unmetClauses(required, stripped, requesters))
      }),
    )
  })

  it('never counts twice, and nobody counts for them', () => {
    fc.assert(
      fc.property(anyRequired, fc.array(anyDelegated), anyRequesters, (required, votes, requesters) => {
        const alone = votes.map(({ delegations: _delegations, ...vote }) => vote)
        expect(countApprovals(required, votes, requesters)).toEqual(countApprovals(required, alone, requesters))
        const people = new Set(votes.map(({ by }) => by))
        expect(countApprovals(required, votes, requesters).have).toBeLessThanOrEqual(people.size)
      }),
    )
  })
})
