import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ENVIRONMENT_CLASSES } from '#core/environment/environment.ts'
import { compilePolicies } from '#core/policy/compile.ts'
import {
  type BrokenPolicy,
  EMPTY_LAYER,
  type LayerPolicies,
  type Policy,
  type PolicyLayers,
} from '#core/policy/layer.ts'
import { mergePolicies } from '#core/policy/merge.ts'
import { EVERYWHERE, type PolicyScope } from '#core/policy/schema.ts'
import { rankOf, strictest, strictestNote } from '#core/policy/strictness.ts'
import type { Effect, PolicyLayer, PolicySubject } from '#core/policy/types.ts'
import { anyAttachList, anyBroken, anyLayers, anyPolicy, anySubject } from './policy-arbitraries.ts'

const deps = { hash: (text: string) => `hash:${text}` }
const environment = { name: 'production', class: 'production', policies: [] as string[] }
const subject: PolicySubject = {
  environment: 'eu-1',
  environment_class: 'staging',
  risk: 'medium',
  action_types: ['service.restart'],
  capabilities: ['http.egress:web'],
}

function policy(
  name: string,
  effect: Effect,
  scope: Partial<PolicyScope> = {},
  layer: PolicyLayer = 'overlay',
): Policy {
  const rules = [{ effect, reason: `${name} says so`, channels: [] }]
  return { name, layer, source: `${name}.yaml`, scope: { ...EVERYWHERE, ...scope }, rules }
}

function compile(overlay: Policy[], others: Partial<PolicyLayers> = {}, attached: string[] = []) {
  const layers = { pack: EMPTY_LAYER, console: EMPTY_LAYER, overlay: { policies: overlay, broken: [] }, ...others }
  return compilePolicies({ layers, environment: { ...environment, policies: attached } }, deps)
}

/** The rules of matching, once more and in the plainest way: what a rule with one of these effects takes to count. */
function matches(
  scope: PolicyScope,
  { environment, environment_class, risk, action_types, capabilities }: PolicySubject,
  effect?: Effect,
) {
  const known: readonly string[] = ENVIRONMENT_CLASSES
  const className = known.includes(environment_class) ? environment_class : 'production'
  const hit = (list: readonly string[], values: string[]) => list.length === 0 || values.some((v) => list.includes(v))
  const held = (list: readonly string[], values: string[]) =>
    hit(list, values) && (list.length === 0 || values.every((v) => list.includes(v)))
  const listed = effect === 'allow_auto' ? held : hit
  return (
    hit(scope.environments, [environment, className]) &&
    hit(scope.risks, [risk]) &&
    listed(scope.action_types, action_types) &&
    listed(scope.capabilities, capabilities)
  )
}

describe('a decision', () => {
  it('equals a linear scan over the merged policies', () => {
    fc.assert(
      fc.property(anyLayers, anyAttachList, anySubject, (layers, policies, subject) => {
        const verdict = compilePolicies({ layers, environment: { ...environment, policies } }, deps).decide(subject)
        const merged = mergePolicies(layers, policies)
        const sound = merged.policies.filter(({ scope }) => matches(scope, subject))
        const broken = merged.broken.filter(({ scope }) => matches(scope, subject))
        const rules = sound.flatMap((one) =>
          one.rules
            .filter((rule) => matches(one.scope, subject, rule.effect))
            .map((rule) => ({ ...rule, name: one.name, layer: one.layer })),
        )
        const effects = [...rules.map((rule) => rule.effect), ...broken.map((): Effect => 'require_hitl')]
        const isProduction = !['staging', 'development', 'sandbox'].includes(subject.environment_class)
        const isLet = sound.some(
          ({ scope, rules }) => matches(scope, subject, 'allow_auto') && rules.some(({ effect }) => rankOf(effect) > 1),
        )

        expect(verdict.effect).toBe(strictest(isProduction && !isLet ? 'require_hitl' : 'allow_auto', ...effects))
        expect(verdict.dry_run).toBe(rules.some((rule) => rule.effect === 'require_dry_run'))
        expect(verdict.require_note).toBe(
          strictestNote(sound.flatMap((one) => one.rules.map((rule) => rule.require_note))),
        )
        expect(verdict.prevent_self).toBe(
          rules.some((rule) => rule.effect === 'require_hitl' && rule.prevent_self) || undefined,
        )
        const asked = rules.flatMap((rule) => (rule.effect === 'require_hitl' ? (rule.min_approvals ?? []) : []))
        expect(verdict.min_approvals).toBe(asked.length === 0 ? undefined : Math.max(...asked))
        const asSet = (values: unknown[]) => values.map((value) => JSON.stringify(value)).sort()
        expect(asSet(verdict.matched.filter((match) => !match.reason.startsWith('broken policy')))).toEqual(
          asSet(rules.map(({ name, layer, effect, reason }) => ({ name, layer, effect, reason }))),
        )
        expect(asSet(verdict.approval_roles)).toEqual(
          asSet(rules.flatMap((r) => (r.effect === 'require_hitl' && r.approval_role ? [[r.approval_role]] : []))),
        )
        expect([...verdict.channels].sort()).toEqual([...new Set(rules.flatMap((rule) => rule.channels))].sort())
        expect([...verdict.broken_policies].sort()).toEqual([...new Set(broken.map((one) => one.label))].sort())
      }),
      { numRuns: 2_000 },
    )
  })

  it('finds every one of several hundred policies', () => {
    const policies = Array.from({ length: 300 }, (_, n) =>
      policy(`p${n}`, 'allow_auto', { action_types: [`act.${n}`] }),
    )
    const set = compile(policies)
    for (let n = 0; n < 300; n++) {
      expect(set.decide({ ...subject, action_types: [`act.${n}`] }).matched.map((match) => match.name)).toEqual([
        `p${n}`,
      ])
    }
  })

  it('is deny over require_hitl over require_dry_run over allow_auto', () => {
    const all = [
      policy('d', 'allow_auto'),
      policy('c', 'require_dry_run'),
      policy('b', 'require_hitl'),
      policy('a', 'deny'),
    ]
    expect([1, 2, 3, 4].map((count) => compile(all.slice(0, count)).decide(subject).effect)).toEqual([
      'allow_auto',
      'require_dry_run',
      'require_hitl',
      'deny',
    ])
  })

  it('keeps the dry run when a stricter effect outranks it', () => {
    const verdict = compile([policy('a', 'require_dry_run'), policy('b', 'deny')]).decide(subject)
    expect(verdict).toMatchObject({ effect: 'deny', dry_run: true })
  })

  it.each([
    ['production', 'require_hitl'],
    ['prodution', 'require_hitl'],
    ['Staging', 'require_hitl'],
    ['__proto__', 'require_hitl'],
    ['staging', 'allow_auto'],
    ['development', 'allow_auto'],
    ['sandbox', 'allow_auto'],
  ])('without any match is decided by the class: %s takes %s', (environment_class, effect) => {
    expect(compile([]).decide({ ...subject, environment_class })).toMatchObject({ effect, matched: [], dry_run: false })
  })

  it.each<[string, Partial<PolicyScope>, Partial<PolicySubject>, boolean]>([
    ['an environment by its name', { environments: ['eu-1'] }, {}, true],
    ['an environment by its class', { environments: ['staging'] }, {}, true],
    ['a misspelt class as production', { environments: ['production'] }, { environment_class: 'prodution' }, true],
    ['not a misspelt class as itself', { environments: ['prodution'] }, { environment_class: 'prodution' }, false],
    ['not another case', { environments: ['EU-1'] }, {}, false],
    ['not a pattern', { environments: ['eu-*'] }, {}, false],
    ['composed and decomposed letters alike', { environments: ['z\u00fcrich'] }, { environment: 'zu\u0308rich' }, true],
    [
      'any of the action types',
      { action_types: ['x', 'service.restart'] },
      { action_types: ['y', 'service.restart'] },
      true,
    ],
    ['not an empty list against a whitelist', { action_types: ['service.restart'] }, { action_types: [] }, false],
    ['an empty list where nothing is filtered', {}, { action_types: [], capabilities: [] }, true],
    ['only when all whitelists agree', { environments: ['staging'], risks: ['high'] }, {}, false],
    ['capabilities', { capabilities: ['http.egress:web'] }, {}, true],
    ['not inherited keys', { capabilities: ['llm'] }, { capabilities: ['__proto__', 'constructor'] }, false],
  ])('matches %s', (_, scope, change, expected) => {
    const verdict = compile([policy('one', 'deny', scope)]).decide({ ...subject, ...change })
    expect(verdict.matched.length > 0).toBe(expected)
  })

  it.each<[string, string[], string[], Effect]>([
    ['all action types are listed', ['http.write', 'service.restart', 'x'], [], 'allow_auto'],
    ['one action type is not', ['http.write'], [], 'require_hitl'],
    ['all capabilities are listed', [], ['http.egress:web', 'llm'], 'allow_auto'],
    ['one capability is not', [], ['llm'], 'require_hitl'],
    ['all of one list are, and not of the other', ['http.write', 'service.restart'], ['llm'], 'require_hitl'],
  ])('lets through only what is listed whole: %s', (_, action_types, capabilities, effect) => {
    const set = compile([policy('quiet', 'allow_auto', { action_types, capabilities })])
    const verdict = set.decide({
      ...subject,
      environment_class: 'production',
      action_types: ['http.write', 'service.restart'],
      capabilities: ['http.egress:web', 'llm'],
    })
    expect(verdict).toMatchObject({ effect, matched: effect === 'allow_auto' ? [{ name: 'quiet' }] : [] })
  })

  it.each<[string[], Effect]>([
    [['http.write'], 'require_dry_run'],
    [['http.write', 'x'], 'require_hitl'],
  ])(
    'of %j in production is let through by a dry run only where that covers it, and tried in any case',
    (action_types, effect) => {
      const set = compile([policy('try', 'require_dry_run', { action_types: ['http.write'] })])
      const verdict = set.decide({ ...subject, environment_class: 'production', action_types })
      expect(verdict).toMatchObject({ effect, dry_run: true, matched: [{ name: 'try' }] })
    },
  )

  it('judges a policy of mixed rules rule by rule', () => {
    const mixed: Policy = {
      ...policy('mixed', 'allow_auto', { action_types: ['read'] }),
      rules: [
        { effect: 'allow_auto', reason: 'reads', channels: ['quiet'] },
        { effect: 'require_dry_run', reason: 'try', channels: ['loud'] },
      ],
    }
    const types = (action_types: string[]) => compile([mixed]).decide({ ...subject, action_types })
    expect(types(['read', 'x'])).toMatchObject({
      effect: 'require_dry_run',
      matched: [{ reason: 'try' }],
      channels: ['loud'],
    })
    expect(types(['read'])).toMatchObject({
      effect: 'require_dry_run',
      matched: [{ reason: 'reads' }, { reason: 'try' }],
      channels: ['quiet', 'loud'],
    })
    expect(types(['x']).matched).toEqual([])
  })

  it('of several subjects is the strictest, with whatever any of them asks for, once', () => {
    const set = compile([
      policy('both', 'require_hitl', { environments: ['staging'] }),
      policy('declared', 'deny', { action_types: ['x'] }),
      policy('alone', 'require_dry_run', { risks: ['low'] }),
    ])
    const verdict = set.decide(
      { ...subject, action_types: ['read', 'x'] },
      { ...subject, risk: 'low', action_types: ['read'] },
    )
    expect(verdict).toMatchObject({ effect: 'deny', dry_run: true })
    expect(verdict.matched.map(({ name }) => name)).toEqual(['alone', 'both', 'declared'])
  })

  it('names what was overridden where either side of it reaches, by which layer and whom', () => {
    const lower = policy('guard', 'deny', {}, 'pack')
    const upper = { ...policy('guard', 'allow_auto', { action_types: ['read'] }, 'console'), author: 'usr_1' }
    const set = compile([], { pack: { policies: [lower], broken: [] }, console: { policies: [upper], broken: [] } }, [
      'guard',
    ])
    // the new policy does not reach this step, the old one did
    expect(set.decide(subject)).toMatchObject({
      effect: 'allow_auto',
      matched: [],
      overrides: [
        {
          name: 'guard',
          layer: 'console',
          source: 'guard.yaml',
          author: 'usr_1',
          replaces: [{ layer: 'pack', source: 'guard.yaml' }],
          loosens: true,
        },
      ],
    })
    expect(compile([policy('guard', 'deny')]).decide(subject)).not.toHaveProperty('overrides')
  })

  it('names an override that retires a broken policy, which had asked for a person', () => {
    const broken: BrokenPolicy = {
      label: 'guard',
      name: 'guard',
      layer: 'pack',
      source: 'p',
      scope: EVERYWHERE,
      problems: [],
    }
    const retired = (effect: Effect) =>
      compile([policy('guard', effect)], { pack: { policies: [], broken: [broken] } }).decide(subject).overrides
    expect(retired('allow_auto')).toMatchObject([{ layer: 'overlay', replaces: [{ layer: 'pack' }], loosens: true }])
    expect(retired('require_hitl')).toMatchObject([{ loosens: false }])
  })

  it('collects every matching role as a clause of its own, and every channel once', () => {
    const asking = (name: string, approval_role: string, channels: string[]): Policy => ({
      ...policy(name, 'require_hitl'),
      rules: [{ effect: 'require_hitl', reason: '', channels, approval_role }],
    })
    const verdict = compile([asking('a', 'sre', ['ops', 'chat']), asking('b', 'security', ['ops'])]).decide(subject)
    expect(verdict).toMatchObject({ approval_roles: [['sre'], ['security']], channels: ['ops', 'chat'] })
  })

  it('never answers with something that a caller could change for the next one', () => {
    const set = compile([
      {
        ...policy('a', 'require_hitl'),
        rules: [{ effect: 'require_hitl', reason: '', channels: ['ops'], approval_role: 'sre' }],
      },
    ])
    const first = set.decide(subject)
    first.channels.push('else')
    first.approval_roles[0]?.push('anyone')
    first.matched.length = 0
    expect(set.decide(subject)).toMatchObject({
      channels: ['ops'],
      approval_roles: [['sre']],
      matched: [{ name: 'a' }],
    })
  })
})

describe('adding a policy', () => {
  const names = fc.constantFrom('new-1', 'new-2')

  it('of a new name never loosens what policies decided', () => {
    fc.assert(
      fc.property(anyLayers, anyPolicy('overlay', names), anySubject, (layers, added, subject) => {
        const before = compilePolicies({ layers, environment }, deps).decide(subject)
        const overlay = { ...layers.overlay, policies: [...layers.overlay.policies, added] }
        const after = compilePolicies({ layers: { ...layers, overlay }, environment }, deps).decide(subject)
        if (before.matched.length > 0) expect(rankOf(after.effect)).toBeLessThanOrEqual(rankOf(before.effect))
        expect(after.dry_run || !before.dry_run).toBe(true)
        expect(after.approval_roles.length).toBeGreaterThanOrEqual(before.approval_roles.length)
        expect(after.broken_policies).toEqual(before.broken_policies)
      }),
    )
  })

  it('that is broken never loosens, and turns the gate on inside its scope', () => {
    // A name of a policy of the same layer would make twins of the two; below, it is an override.
    const layers = anyLayers.map((layers) => ({ ...layers, overlay: EMPTY_LAYER, console: EMPTY_LAYER }))
    fc.assert(
      fc.property(
        layers,
        anyBroken('overlay', fc.constantFrom('a', 'b', 'new')),
        anySubject,
        (layers, added, subject) => {
          const before = compilePolicies({ layers, environment }, deps).decide(subject)
          const overlay: LayerPolicies = { policies: [], broken: [added] }
          const after = compilePolicies({ layers: { ...layers, overlay }, environment }, deps).decide(subject)
          expect(rankOf(after.effect)).toBeLessThanOrEqual(rankOf(before.effect))
          expect(after.dry_run).toBe(before.dry_run)
          expect(after.approval_roles).toEqual(before.approval_roles)
          if (matches(added.scope, subject)) {
            expect(rankOf(after.effect)).toBeLessThanOrEqual(rankOf('require_hitl'))
            expect(after.broken_policies).toContain(added.label)
          }
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('that is not attached changes nothing', () => {
    fc.assert(
      fc.property(anyLayers, anySubject, (layers, subject) => {
        const without = { ...layers, console: EMPTY_LAYER }
        expect(compilePolicies({ layers, environment }, deps).decide(subject)).toEqual(
          compilePolicies({ layers: without, environment }, deps).decide(subject),
        )
      }),
    )
  })
})

describe('the snapshot hash', () => {
  it('does not depend on the order in which policies were read, and changes with any of them', () => {
    const policies = [policy('a', 'deny'), policy('b', 'allow_auto', { environments: ['x', 'y'] })]
    const hash = compile(policies).snapshot_hash
    expect(compile([...policies].reverse()).snapshot_hash).toBe(hash)
    expect(compile([policy('a', 'deny')]).snapshot_hash).not.toBe(hash)
    expect(compile([policy('a', 'deny', { risks: ['high'] }), policy('b', 'allow_auto')]).snapshot_hash).not.toBe(hash)
    expect(compile(policies).decide(subject).snapshot_hash).toBe(hash)
  })
})

describe('the strictness of effects', () => {
  const effect = fc.constantFrom<Effect>('deny', 'require_hitl', 'require_dry_run', 'allow_auto')

  it('is a total order', () => {
    fc.assert(
      fc.property(effect, effect, effect, (a, b, c) => {
        expect(strictest(a, b)).toBe(strictest(b, a))
        expect(strictest(a, strictest(b, c))).toBe(strictest(strictest(a, b), c))
        expect([a, b]).toContain(strictest(a, b))
        expect(rankOf(a) === rankOf(b)).toBe(a === b)
      }),
    )
  })
})
