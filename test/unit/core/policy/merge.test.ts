import { describe, expect, it } from 'vitest'
import { type BrokenPolicy, EMPTY_LAYER, type Policy, type PolicyLayers } from '#core/policy/layer.ts'
import { mergePolicies } from '#core/policy/merge.ts'
import { EVERYWHERE } from '#core/policy/schema.ts'
import type { Effect, PolicyLayer } from '#core/policy/types.ts'

function policy(name: string, layer: PolicyLayer, effect: Effect, more: Partial<Policy> = {}): Policy {
  return {
    name,
    layer,
    source: `${layer}.yaml`,
    scope: EVERYWHERE,
    rules: [{ effect, reason: '', channels: [] }],
    ...more,
  }
}

function broken(label: string, layer: PolicyLayer, more: Partial<BrokenPolicy> = {}): BrokenPolicy {
  const problems = [{ message: 'broken', path: [] }]
  return { label, name: label, layer, source: `${layer}.yaml`, scope: EVERYWHERE, problems, ...more }
}

function merge(entries: (Policy | BrokenPolicy)[], attached: string[] = []) {
  const layers: PolicyLayers = { pack: { ...EMPTY_LAYER }, overlay: { ...EMPTY_LAYER }, console: { ...EMPTY_LAYER } }
  for (const entry of entries) {
    const layer = layers[entry.layer]
    if ('problems' in entry) layer.broken = [...layer.broken, entry]
    else layer.policies = [...layer.policies, entry]
  }
  const merged = mergePolicies(layers, attached)
  return {
    inForce: merged.policies.map(({ name, layer, rules }) => `${name} ${layer} ${rules[0]?.effect}`),
    broken: merged.broken.map(({ label }) => label),
    overrides: merged.overrides,
    warnings: merged.warnings,
  }
}

describe('the layers', () => {
  it('merge by name: overlay over pack, an attached console policy over both', () => {
    const below = [
      policy('a', 'pack', 'allow_auto'),
      policy('a', 'overlay', 'require_hitl'),
      policy('b', 'pack', 'deny'),
    ]
    expect(merge(below).inForce).toEqual(['a overlay require_hitl', 'b pack deny'])
    expect(merge([...below, policy('a', 'console', 'deny')], ['a']).inForce).toEqual(['a console deny', 'b pack deny'])
  })

  it('leave out console policies that are not attached, sound or broken', () => {
    const entries = [policy('a', 'pack', 'deny'), policy('a', 'console', 'allow_auto'), broken('c', 'console')]
    expect(merge(entries)).toMatchObject({ inForce: ['a pack deny'], broken: [], overrides: [] })
  })

  it('compare names in normal form C, case-sensitive', () => {
    const entries = [policy('z\u00fc', 'console', 'deny'), policy('A', 'pack', 'deny'), policy('a', 'overlay', 'deny')]
    expect(merge(entries, ['zu\u0308'])).toMatchObject({
      broken: [],
      inForce: ['A pack deny', 'a overlay deny', 'z\u00fc console deny'],
    })
  })
})

describe('a broken policy', () => {
  it('leaves in force what it would have replaced', () => {
    expect(merge([policy('a', 'pack', 'deny'), broken('a', 'overlay')])).toMatchObject({
      inForce: ['a pack deny'],
      broken: ['a'],
    })
    expect(merge([policy('a', 'overlay', 'deny'), broken('a', 'console')], ['a'])).toMatchObject({
      inForce: ['a overlay deny'],
      broken: ['a'],
    })
  })

  it('is retired by a sound override of its name, and by nothing else', () => {
    expect(merge([broken('a', 'pack'), policy('a', 'overlay', 'allow_auto')]).broken).toEqual([])
    expect(merge([broken('a', 'pack'), policy('b', 'overlay', 'allow_auto')]).broken).toEqual(['a'])
    expect(merge([broken('a', 'pack'), policy('a', 'console', 'allow_auto')]).broken).toEqual(['a'])
    expect(merge([broken('a', 'pack'), broken('a', 'overlay')]).broken).toEqual(['a', 'a'])
    expect(merge([broken('a', 'overlay'), policy('a', 'pack', 'allow_auto')]).broken).toEqual(['a'])
  })

  it('without a readable name cannot be retired', () => {
    const { name: _, ...unnamed } = broken('guard.yaml', 'pack')
    expect(merge([unnamed, policy('guard.yaml', 'overlay', 'allow_auto')]).broken).toEqual(['guard.yaml'])
  })
})

describe('one name twice', () => {
  it('in one layer breaks both, no matter what they say, and replaces nothing', () => {
    const twins = [policy('a', 'overlay', 'allow_auto'), policy('a', 'overlay', 'deny')]
    expect(merge([policy('a', 'pack', 'require_hitl'), ...twins])).toMatchObject({
      inForce: ['a pack require_hitl'],
      broken: ['a', 'a'],
    })
    expect(merge([policy('a', 'overlay', 'allow_auto'), broken('a', 'overlay')])).toMatchObject({
      inForce: [],
      broken: ['a', 'a'],
    })
  })

  it('in one pack breaks both', () => {
    expect(
      merge([policy('a', 'pack', 'deny', { pack: 'x' }), policy('a', 'pack', 'deny', { pack: 'x' })]).broken,
    ).toEqual(['a', 'a'])
  })

  it('in two packs applies both with a warning, and an override replaces both', () => {
    const both = [policy('a', 'pack', 'allow_auto', { pack: 'x' }), policy('a', 'pack', 'deny', { pack: 'y' })]
    expect(merge(both)).toMatchObject({ inForce: ['a pack allow_auto', 'a pack deny'], broken: [] })
    expect(merge(both).warnings).toEqual(['the policy name "a" is used by several packs (x, y): all of them apply'])
    expect(merge([...both, policy('a', 'overlay', 'require_hitl')]).inForce).toEqual(['a overlay require_hitl'])
  })
})

describe('a dangling attachment', () => {
  it('is broken and named, also when a pack or the overlay knows the name', () => {
    expect(merge([policy('a', 'overlay', 'deny')], ['a', 'gone', 'gone'])).toMatchObject({
      inForce: ['a overlay deny'],
      broken: ['a', 'gone'],
    })
  })
})

describe('an override', () => {
  it.each<[true | undefined, true | undefined, boolean]>([
    [true, true, false],
    [undefined, true, false],
    [true, undefined, true],
  ])('that forbade self-approval (%s) and forbids it (%s) loosens: %s', (before, after, loosens) => {
    const rules = (prevent_self: true | undefined): Policy['rules'] => [
      { effect: 'require_hitl', reason: '', channels: [], ...(prevent_self && { prevent_self }) },
    ]
    const { overrides } = merge([
      policy('a', 'pack', 'require_hitl', { rules: rules(before) }),
      policy('a', 'overlay', 'require_hitl', { rules: rules(after) }),
    ])
    expect(overrides[0]?.fact.loosens).toBe(loosens)
  })

  it.each([
    [2, 2, false],
    [undefined, 2, false],
    [1, undefined, false],
    [2, undefined, true],
    [3, 2, true],
  ])('that asked for %s people and asks for %s loosens: %s', (before, after, loosens) => {
    const rules = (min_approvals: number | undefined): Policy['rules'] => [
      { effect: 'require_hitl', reason: '', channels: [], ...(min_approvals !== undefined && { min_approvals }) },
    ]
    const { overrides } = merge([
      policy('a', 'pack', 'require_hitl', { rules: rules(before) }),
      policy('a', 'overlay', 'require_hitl', { rules: rules(after) }),
    ])
    expect(overrides[0]?.fact.loosens).toBe(loosens)
  })

  it.each<[string, Partial<Policy>, boolean]>([
    ['the same', {}, false],
    ['a stricter effect', { rules: [{ effect: 'deny', reason: '', channels: [] }] }, false],
    ['a weaker effect', { rules: [{ effect: 'allow_auto', reason: '', channels: [] }] }, true],
    ['a narrower scope', { scope: { ...EVERYWHERE, risks: ['high'] } }, true],
    ['another role', { rules: [{ effect: 'require_hitl', reason: '', channels: [], approval_role: 'any' }] }, true],
    [
      'a note that is asked for',
      { rules: [{ effect: 'require_hitl', reason: '', channels: [], approval_role: 'sre', require_note: 'reject' }] },
      false,
    ],
    ['the role left out', { rules: [{ effect: 'require_hitl', reason: '', channels: [] }] }, true],
  ])('with %s says whether it may loosen, and by whom', (_, change, loosens) => {
    const rules: Policy['rules'] = [{ effect: 'require_hitl', reason: '', channels: [], approval_role: 'sre' }]
    const { overrides } = merge(
      [
        policy('a', 'pack', 'require_hitl', { rules }),
        policy('a', 'console', 'require_hitl', { rules, author: 'usr_1', ...change }),
      ],
      ['a'],
    )
    expect(overrides.map(({ fact }) => fact)).toEqual([
      {
        name: 'a',
        layer: 'console',
        source: 'console.yaml',
        author: 'usr_1',
        replaces: [{ layer: 'pack', source: 'pack.yaml' }],
        loosens,
      },
    ])
  })

  it.each<[string, string[], string[], boolean]>([
    ['the same', ['read'], ['read'], false],
    ['fewer', ['read', 'x'], ['read'], false],
    ['more', ['read'], ['read', 'x'], true],
    ['all', ['read'], [], true],
  ])('of a policy that lets through loosens where it lets more through: %s', (_, before, after, loosens) => {
    const scope = (action_types: string[]) => ({ scope: { ...EVERYWHERE, action_types } })
    const { overrides } = merge([
      policy('reads', 'pack', 'allow_auto', scope(before)),
      policy('reads', 'overlay', 'allow_auto', scope(after)),
    ])
    expect(overrides[0]?.fact.loosens).toBe(loosens)
  })

  it.each([
    ['always', 'always', false],
    ['reject', 'always', false],
    ['always', 'reject', true],
    ['always', undefined, true],
    ['reject', undefined, true],
  ] as const)('that asked for notes on %s and asks for them on %s loosens: %s', (before, after, loosens) => {
    const rules = (require_note: 'always' | 'reject' | undefined): Policy['rules'] => [
      { effect: 'require_hitl', reason: '', channels: [], ...(require_note !== undefined && { require_note }) },
    ]
    const { overrides } = merge([
      policy('a', 'pack', 'require_hitl', { rules: rules(before) }),
      policy('a', 'overlay', 'require_hitl', { rules: rules(after) }),
    ])
    expect(overrides[0]?.fact.loosens).toBe(loosens)
  })
})
