import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CastVote, type CountedUnder, type VoterAuthority, validVotes } from '#core/gate/valid-votes.ts'

const NAMES = ['usr_a', 'usr_b', 'usr_c', 'bot', 'temporal'] as const
const vote = (changes: Partial<CastVote> = {}): CastVote => ({
  by: 'usr_a',
  decision: 'approve',
  roles: ['approver', 'dba'],
  asserted: false,
  channel: 'api',
  auth: 'jwt',
  signed: true,
  ...changes,
})
const person = (changes: Partial<VoterAuthority> = {}): VoterAuthority => ({
  id: 'usr_a',
  email: 'a@example.test',
  active: true,
  may_decide: true,
  on_behalf: false,
  roles: ['approver', 'dba'],
  delegate_to: null,
  answering_accounts: ['bot'],
  changed_by: {},
  ...changes,
})
const under = (changes: Partial<CountedUnder> = {}): CountedUnder => ({
  required: { approvals: 1, approval_roles: [], prevent_self: false },
  open: false,
  signals_approve: false,
  people: [person()],
  barred: ['usr_z'],
  asked_at: ASKED,
  ...changes,
})
const ASKED = '2026-01-01T00:00:00.000Z'
const BEFORE = '2025-12-31T23:59:59.999Z'
const guarded = { approvals: 1, approval_roles: [], prevent_self: true }
const changedBy = (by: string, at: string) => ({ changed_by: { [by]: { rights: at } } })
const bot = (changes: Partial<VoterAuthority> = {}) =>
  person({ id: 'bot', email: 'bot@example.test', on_behalf: true, ...changes })
const strict = { approvals: 2, approval_roles: [], prevent_self: false }
const link = { by: 'a@example.test', auth: 'magic_link', channel: 'magic_link', asserted: true } as const
const signal = { by: 'temporal', channel: 'temporal', auth: 'none', asserted: true, signed: false } as const

describe('with authentication on, a vote counts', () => {
  it.each<[string, Partial<CastVote>, Partial<CountedUnder>]>([
    ['when it is signed and its voter may decide', {}, {}],
    ['by a link to a gate that asks nobody who they are', link, {}],
    ['by a link to an address that is no user', { ...link, by: 'ops@example.test' }, {}],
    ['by a signal where access to the engine is guarded', signal, { signals_approve: true }],
    ['by a signal that only stops', { ...signal, decision: 'reject' }, {}],
    [
      'through a service account that may answer for others',
      { via: 'bot', behind: ['usr_c'] },
      { people: [person(), bot()] },
    ],
    [
      'of somebody whose rights a requester changed before',
      {},
      { required: guarded, people: [person(changedBy('usr_z', BEFORE))] },
    ],
    [
      'of somebody whose rights anybody else changed since',
      {},
      { required: guarded, people: [person(changedBy('usr_y', ASKED))] },
    ],
    [
      'that stops, no matter who enabled its voter',
      { decision: 'reject' },
      { required: guarded, people: [person(changedBy('usr_z', ASKED))] },
    ],
  ])('%s', (_, changes, where) => {
    expect(validVotes([vote(changes)], under(where))).toHaveLength(1)
  })

  it.each<[string, Partial<CastVote>, Partial<CountedUnder>]>([
    ['without a signature over this gate and plan', { signed: false }, {}],
    ['whose voter is disabled', {}, { people: [person({ active: false })] }],
    ['whose voter may not decide here any more', {}, { people: [person({ may_decide: false })] }],
    ['whose voter is nobody', {}, { people: [] }],
    ['that was an assertion', { asserted: true, auth: 'none' }, {}],
    ['by a link to a gate that asks for two people', link, { required: strict }],
    ['by a link to somebody who is disabled', link, { people: [person({ active: false })] }],
    ['by a signal', signal, {}],
    ['that says it is a signal of somebody', { ...signal, by: 'usr_a' }, { signals_approve: true }],
    ['through a service account that is gone', { via: 'bot' }, {}],
    [
      'through a service account that lost the scope',
      { via: 'bot' },
      { people: [person(), bot({ on_behalf: false })] },
    ],
    [
      'of somebody whom a requester enabled at the moment of the request',
      {},
      { required: guarded, people: [person(changedBy('usr_z', ASKED))] },
    ],
    [
      'through a service account that a requester enabled since',
      { via: 'bot', behind: ['usr_c'] },
      { required: guarded, people: [person(), bot(changedBy('usr_z', ASKED))] },
    ],
  ])('not %s', (_, changes, where) => {
    expect(validVotes([vote(changes)], under(where))).toEqual([])
  })

  it('with the roles that were held then and are held now', () => {
    const [counted] = validVotes([vote()], under({ people: [person({ roles: ['approver', 'security'] })] }))
    expect(counted?.roles).toEqual(['approver'])
  })

  it('with lent roles only while the lender stands and has not named somebody else', () => {
    const lent = vote({ delegations: [{ of: 'usr_b', roles: ['security'] }] })
    const lender = (changes: Partial<VoterAuthority>) =>
      person({ id: 'usr_b', email: 'b@example.test', roles: ['security'], delegate_to: 'usr_a', ...changes })
    const rolesFrom = (changes: Partial<VoterAuthority>) =>
      validVotes([lent], under({ people: [person(), lender(changes)] }))[0]?.delegations?.flatMap(({ roles }) => roles)
    expect(rolesFrom({})).toEqual(['security'])
    expect(rolesFrom({ active: false })).toEqual([])
    expect(rolesFrom({ may_decide: false })).toEqual([])
    expect(rolesFrom({ delegate_to: null })).toEqual([])
    expect(rolesFrom({ roles: [] })).toEqual([])
    const enabled = under({ required: guarded, people: [person(), lender(changedBy('usr_z', ASKED))] })
    expect(validVotes([lent], enabled)[0]?.delegations).toEqual([])
  })
})

const anyVote: fc.Arbitrary<CastVote> = fc.record({
  by: fc.constantFrom(...NAMES),
  decision: fc.constantFrom('approve', 'reject'),
  roles: fc.subarray(['approver', 'dba', 'owner']),
  asserted: fc.boolean(),
  channel: fc.constantFrom('api', 'temporal', 'magic_link'),
  auth: fc.constantFrom('jwt', 'magic_link', 'signature', 'none'),
  signed: fc.boolean(),
})
const anyPeople: fc.Arbitrary<VoterAuthority[]> = fc.uniqueArray(
  fc.record({
    id: fc.constantFrom(...NAMES),
    email: fc.constant('nobody@example.test'),
    active: fc.boolean(),
    may_decide: fc.boolean(),
    on_behalf: fc.boolean(),
    roles: fc.subarray(['approver', 'dba', 'owner']),
    delegate_to: fc.constant(null),
    answering_accounts: fc.constant(['bot']),
    changed_by: fc.constant({}),
  }),
  { selector: ({ id }) => id },
)

describe('taking something away', () => {
  it('from a voter never makes a vote count, nor adds a role to it', () => {
    fc.assert(
      fc.property(fc.array(anyVote), anyPeople, fc.constantFrom(...NAMES), (votes, people, lost) => {
        const less = people.map((each) => (each.id === lost ? { ...each, active: false, roles: [] } : each))
        const before = validVotes(votes, under({ people }))
        for (const each of validVotes(votes, under({ people: less }))) {
          const same = before.find(({ by, decision }) => by === each.by && decision === each.decision)
          expect(same).toBeDefined()
        }
      }),
    )
  })

  it('every approval that counts is signed, except by signals where they may approve', () => {
    fc.assert(
      fc.property(fc.array(anyVote), anyPeople, fc.boolean(), (votes, people, signals_approve) => {
        const approvals = validVotes(votes, under({ people, signals_approve })).filter(
          ({ decision }) => decision === 'approve',
        ) as CastVote[]
        for (const each of approvals) expect(each.signed || (signals_approve && each.by === 'temporal')).toBe(true)
      }),
    )
  })
})
