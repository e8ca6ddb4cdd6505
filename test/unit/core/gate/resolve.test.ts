import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ActiveFreeze } from '#core/freeze/active-freeze.ts'
import { type GateInput, resolveGate } from '#core/gate/resolve.ts'
import { compilePolicies } from '#core/policy/compile.ts'
import { EMPTY_LAYER } from '#core/policy/layer.ts'
import { rankOf, strictestNote } from '#core/policy/strictness.ts'
import type { PolicyVerdict } from '#core/policy/types.ts'
import { anyAttachList, anyLayers, anySubject } from '../policy/policy-arbitraries.ts'

const quiet: PolicyVerdict = {
  effect: 'allow_auto',
  matched: [],
  dry_run: false,
  approval_roles: [],
  channels: [],
  broken_policies: [],
  snapshot_hash: 'sha256:0',
}
const off: GateInput = {
  operator: false,
  profile: false,
  policy: quiet,
  pack: false,
  min_approvals: 1,
  prevent_self: false,
}

const anyFreeze: fc.Arbitrary<ActiveFreeze> = fc.record({
  name: fc.constantFrom('weekend', 'holidays', 'audit'),
  until: fc.constant('2027-01-01T00:00:00.000Z'),
  scope: fc.constantFrom('all', 'writes'),
  freeze_approvers: fc.subarray(['release-lead', 'sre']),
})

/** A verdict as a real set of policies gives it: any layers, any environment, sound or broken. */
const anyVerdict = fc
  .tuple(anyLayers, anyAttachList, anySubject)
  .map(([layers, policies, subject]) =>
    compilePolicies({ layers, environment: { name: 'e', class: 'production', policies } }, { hash: () => 'h' }).decide(
      subject,
    ),
  )
const anyInput: fc.Arbitrary<GateInput> = fc.record({
  operator: fc.boolean(),
  profile: fc.boolean(),
  policy: anyVerdict,
  pack: fc.boolean(),
  min_approvals: fc.oneof(fc.integer({ min: -2, max: 5 }), fc.constantFrom(Number.NaN, 0.5)),
  prevent_self: fc.boolean(),
  dry_run_unavailable: fc.boolean(),
  freezes: fc.array(anyFreeze, { maxLength: 2 }),
  require_plan_hash: fc.boolean(),
})

describe('a gate', () => {
  it('is on exactly when one of the four authorities or a freeze says so, for every environment and every broken input', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const { on, because, authorities, required } = resolveGate(input)
        const policySays = input.policy.effect === 'require_hitl' || input.policy.broken_policies.length > 0
        const noDryRun = input.policy.dry_run && input.dry_run_unavailable === true
        const frozen = (input.freezes ?? []).length > 0
        const { operator, profile, policy, pack } = input
        // one comparison: ten thousand of each take half a minute on a busy machine
        expect({ on, explained: because.length > 0, authorities, asks: required.approvals >= 1 }).toEqual({
          on: operator || profile || policySays || pack || noDryRun || frozen,
          explained: on,
          authorities: { operator, profile, policy, pack },
          asks: true,
        })
      }),
      { numRuns: 10_000 },
    )
  })

  it('is never turned off by one more vote', () => {
    const votes = ['operator', 'profile', 'pack', 'prevent_self', 'dry_run_unavailable', 'require_plan_hash'] as const
    fc.assert(
      fc.property(anyInput, fc.constantFrom(...votes), (input, vote) => {
        const before = resolveGate(input)
        const after = resolveGate({ ...input, [vote]: true })
        expect(after.on || !before.on).toBe(true)
        expect(after.required.approvals).toBe(before.required.approvals)
        expect(after.required.approval_roles).toEqual(before.required.approval_roles)
        expect(after.required.prevent_self || !before.required.prevent_self).toBe(true)
        expect(after.required.require_plan_hash || !before.required.require_plan_hash).toBe(true)
        expect(after.required.require_note).toBe(before.required.require_note)
        expect(after.frozen).toBe(before.frozen)
      }),
    )
  })

  it('is never looser for one more freeze', () => {
    fc.assert(
      fc.property(anyInput, anyFreeze, (input, freeze) => {
        const before = resolveGate(input)
        const after = resolveGate({ ...input, freezes: [...(input.freezes ?? []), freeze] })
        expect(after.on).toBe(true)
        expect(after.frozen).toBe(before.frozen || freeze.freeze_approvers.length === 0)
        expect(after.because).toEqual(expect.arrayContaining(before.because))
        expect(after.required.approval_roles).toEqual(expect.arrayContaining(before.required.approval_roles))
        expect(after.required.freezes).toContain(freeze.name)
        const { approvals, prevent_self, require_note, require_plan_hash } = before.required
        expect(after.required).toMatchObject({ approvals, prevent_self })
        expect(after.required.require_note).toBe(require_note)
        expect(after.required.require_plan_hash).toBe(require_plan_hash)
      }),
    )
  })

  it('never asks for fewer notes than any rule that matches', () => {
    fc.assert(
      fc.property(anyInput, fc.constantFrom('always', 'reject', undefined), (input, note) => {
        const required = strictestNote([input.policy.require_note, note])
        const { require_note: _note, ...policy } = input.policy
        const after = resolveGate({
          ...input,
          policy: { ...policy, ...(required !== undefined && { require_note: required }) },
        })
        expect(after.required.require_note).toBe(required)
        expect(after.on).toBe(resolveGate(input).on)
      }),
    )
  })

  it('during a freeze says which and until when, and takes one of its approvers', () => {
    const freeze: ActiveFreeze = {
      name: 'weekend',
      until: '2026-06-15T06:00:00.000Z',
      scope: 'writes',
      freeze_approvers: ['release-lead', 'cto'],
    }
    expect(resolveGate({ ...off, freezes: [freeze] })).toMatchObject({
      on: true,
      frozen: false,
      because: ['the freeze weekend is on until 2026-06-15T06:00:00.000Z'],
      required: { approvals: 1, approval_roles: [['release-lead', 'cto']], freezes: ['weekend'] },
    })
    expect(resolveGate({ ...off, freezes: [{ ...freeze, freeze_approvers: [] }] })).toMatchObject({
      on: true,
      frozen: true,
      required: { approval_roles: [], freezes: ['weekend'] },
    })
  })

  it('is not turned off, short of a refusal, by a stricter policy', () => {
    fc.assert(
      fc.property(anyInput, anyVerdict, (input, other) => {
        if (other.effect === 'deny' || rankOf(other.effect) > rankOf(input.policy.effect)) return
        const policy = { ...other, broken_policies: [...other.broken_policies, ...input.policy.broken_policies] }
        const dry_run = policy.dry_run || input.policy.dry_run
        const after = resolveGate({ ...input, policy: { ...policy, dry_run } })
        expect(after.on || !resolveGate(input).on).toBe(true)
      }),
    )
  })

  it('is off when nobody asks for it', () => {
    expect(resolveGate(off)).toEqual({
      on: false,
      frozen: false,
      authorities: { operator: false, profile: false, policy: quiet, pack: false },
      required: { approvals: 1, approval_roles: [], prevent_self: false },
      because: [],
    })
  })

  it.each<[string, Partial<GateInput>, string[]]>([
    ['the operator', { operator: true }, ['the operator requires approval']],
    ['the profile', { profile: true }, ['the profile requires approval for this action type']],
    ['the pack', { pack: true }, ['the pack requires approval for this step']],
    [
      'a policy',
      {
        policy: {
          ...quiet,
          effect: 'require_hitl',
          matched: [{ name: 'a', layer: 'overlay', effect: 'require_hitl', reason: 'night' }],
        },
      },
      ['the overlay policy a requires a person: night'],
    ],
    [
      'the default of production',
      { policy: { ...quiet, effect: 'require_hitl' } },
      ['no policy matches, and here that requires a person'],
    ],
    ['a broken policy under any effect', { policy: { ...quiet, broken_policies: ['a'] } }, ['the policy a is broken']],
    [
      'a dry run that is not to be had',
      { policy: { ...quiet, effect: 'require_dry_run', dry_run: true }, dry_run_unavailable: true },
      ['a policy requires a dry run, and there is no successful one'],
    ],
  ])('turned on by %s says so', (_, change, because) => {
    expect(resolveGate({ ...off, ...change })).toMatchObject({ on: true, because })
  })

  it.each<[string, Partial<GateInput>]>([
    ['deny, which is a refusal and no gate', { policy: { ...quiet, effect: 'deny' } }],
    ['a dry run that succeeded', { policy: { ...quiet, effect: 'require_dry_run', dry_run: true } }],
    ['a missing dry run that nobody requires', { dry_run_unavailable: true }],
  ])('stays off with %s', (_, change) => {
    expect(resolveGate({ ...off, ...change }).on).toBe(false)
  })

  it.each([[undefined], [null], ['false'], [0], [{}]])(
    'takes a vote of %j, which is not plainly false, as on',
    (vote) => {
      for (const authority of ['operator', 'profile', 'pack'] as const) {
        const input: GateInput = JSON.parse(JSON.stringify({ ...off, [authority]: vote }))
        expect(resolveGate(input).on).toBe(true)
      }
    },
  )

  it('is on for an effect that nobody knows', () => {
    const input: GateInput = JSON.parse(JSON.stringify({ ...off, policy: { ...quiet, effect: 'ALLOW_AUTO' } }))
    expect(resolveGate(input)).toMatchObject({ on: true, because: ['the policy effect "ALLOW_AUTO" is unknown'] })
  })

  it('asks for the quorum of its environment and each role clause once', () => {
    const policy = { ...quiet, approval_roles: [['sre'], ['security'], ['sre']] }
    expect(resolveGate({ ...off, policy, min_approvals: 2, prevent_self: true }).required).toEqual({
      approvals: 2,
      approval_roles: [['sre'], ['security']],
      prevent_self: true,
    })
  })

  it('asks for as many people as its environment or a policy, whichever asks for more', () => {
    for (const [own, of_policy, approvals] of [
      [1, 2, 2],
      [3, 2, 3],
      [1, 1, 1],
      [2, undefined, 2],
    ] as const) {
      const policy = { ...quiet, ...(of_policy !== undefined && { min_approvals: of_policy }) }
      expect(resolveGate({ ...off, policy, min_approvals: own }).required.approvals).toBe(approvals)
    }
  })

  it('forbids self-approval where the environment or a policy does', () => {
    for (const [own, of_policy] of [
      [false, false],
      [true, false],
      [false, true],
      [true, true],
    ] as const) {
      const policy = { ...quiet, ...(of_policy && { prevent_self: of_policy }) }
      expect(resolveGate({ ...off, policy, prevent_self: own }).required.prevent_self).toBe(own || of_policy)
    }
  })

  it('of an environment without a sound quorum takes one approval', () => {
    for (const min_approvals of [0, -1, Number.NaN])
      expect(resolveGate({ ...off, min_approvals }).required.approvals).toBe(1)
  })

  it('of a real default in production is on, elsewhere off', () => {
    const layers = { pack: EMPTY_LAYER, overlay: EMPTY_LAYER, console: EMPTY_LAYER }
    const set = compilePolicies(
      { layers, environment: { name: 'e', class: 'production', policies: [] } },
      { hash: () => 'h' },
    )
    const subject = { environment: 'e', risk: 'low', action_types: [], capabilities: [] } as const
    const on = (environment_class: string) =>
      resolveGate({ ...off, policy: set.decide({ ...subject, environment_class, action_types: [], capabilities: [] }) })
        .on
    expect(['production', 'typo', 'staging', 'development', 'sandbox'].map(on)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
  })
})
