import { describe, expect, it } from 'vitest'
import type { Vote } from '#core/gate/tally.ts'
import { gateFacts, resolutionOf } from '#core/notify/gate-facts.ts'

const [ann, bob] = [
  { id: 'usr_ann', name: 'Ann', roles: ['approver'], approval_roles: ['dba'] },
  { id: 'usr_bob', name: 'Bob', roles: ['approver'], approval_roles: [] },
]

function askAfter(votes: Vote[]) {
  return gateFacts({
    gate_id: 'gate_1',
    run_id: 'run_1',
    workspace_id: 'ws_1',
    step: 'restart',
    plan_hash: 'sha256:00',
    required: { approvals: 2, approval_roles: [['dba']], prevent_self: true },
    view: {},
    expires_at: '2026-11-21T14:05:00.000Z',
    pack: 'sre',
    template: 'service-recovery',
    title: 'Recover',
    environment: 'production',
    environment_class: 'production',
    risk: 'high',
    dry_run: false,
    provenance: { actor: { type: 'user', id: ann.id } },
    alert: null,
    votes,
    action_type: null,
    people: [ann, bob],
  }).ask
}

describe('what a message says is missing counts as the gate counts', () => {
  it('nothing is said before the first answer', () => {
    expect(askAfter([])).toMatchObject({ need: 2, have: 0, missing: null })
  })

  it('names nobody as one who may answer whose answer would be refused', () => {
    expect(askAfter([])).toMatchObject({ people: ['Bob'], clauses: [{ any_of: ['dba'], people: [] }] })
  })

  it("the requester's own approval is none, nor is their role", () => {
    expect(askAfter([{ by: ann.id, decision: 'approve', roles: ['approver', 'dba'] }])).toMatchObject({
      have: 0,
      clauses: [{ any_of: ['dba'], met: false }],
      missing: '2 more approvals, among them dba',
    })
  })

  it('what a service account answers for two people is one approval', () => {
    const votes: Vote[] = ['a@x.example', 'b@x.example'].map((by) => ({
      by,
      via: 'usr_bot',
      decision: 'approve',
      roles: [],
    }))
    expect(askAfter(votes)).toMatchObject({ have: 1, missing: '1 more approval, from dba' })
  })

  it('a delegate brings the roles of who is away', () => {
    const delegations = [{ of: 'usr_dan', roles: ['dba'] }]
    expect(askAfter([{ by: bob.id, decision: 'approve', roles: ['approver'], delegations }])).toMatchObject({
      clauses: [{ met: true }],
      missing: '1 more approval',
    })
  })
})

describe('whose approval it was', () => {
  const resolved = (status: string, votes: Vote[]) =>
    resolutionOf({
      ...{ people: [ann, bob], votes, status, provenance: { actor: { id: 'usr_carol' } } },
      required: { approvals: 2, approval_roles: [], prevent_self: true },
      resolution: { by: votes.at(-1)?.by ?? 'system' },
      resolved_at: '2026-11-21T13:05:30.000Z',
    }).by

  it('is that of all whose votes it took', () => {
    const both: Vote[] = [ann, bob].map(({ id }) => ({ by: id, decision: 'approve' }))
    expect(resolved('approved', both)).toBe('Ann and Bob')
  })

  it('a rejection is one person alone', () => {
    expect(
      resolved('rejected', [
        { by: ann.id, decision: 'approve' },
        { by: bob.id, decision: 'reject' },
      ]),
    ).toBe('Bob')
    expect(resolved('expired', [])).toBe('system')
  })
})
