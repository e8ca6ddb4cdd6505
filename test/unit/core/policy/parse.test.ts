import { describe, expect, it } from 'vitest'
import { parsePolicies } from '#core/policy/parse.ts'
import { EVERYWHERE } from '#core/policy/schema.ts'

const origin = { layer: 'overlay', source: 'guard.yaml' } as const
const rules = [{ effect: 'deny', reason: 'no' }]

describe('a sound document', () => {
  it('is a policy, a list of policies or nothing', () => {
    const document = { name: 'guard', applies_to: { environments: ['production'], risks: ['high'] }, rules }
    const scope = { ...EVERYWHERE, environments: ['production'], risks: ['high'] }
    const policy = { name: 'guard', ...origin, scope, rules: [{ effect: 'deny', reason: 'no', channels: [] }] }
    expect(parsePolicies(document, origin)).toEqual({ policies: [policy], broken: [] })
    expect(parsePolicies([document, document], origin).policies).toEqual([policy, policy])
    expect(parsePolicies(null, origin)).toEqual({ policies: [], broken: [] })
  })

  it.each([[undefined], [null], [{}], [{ environments: null }], [{ environments: [] }]])(
    'applies everywhere with applies_to %j',
    (applies_to) => {
      expect(parsePolicies({ name: 'a', applies_to, rules }, origin).policies).toMatchObject([{ scope: EVERYWHERE }])
      expect(parsePolicies({ name: 'a', rules }, origin).policies).toMatchObject([{ scope: EVERYWHERE }])
    },
  )

  it('is read in normal form C', () => {
    const document = {
      name: 'zu\u0308',
      applies_to: { environments: ['zu\u0308'] },
      rules: [{ effect: 'require_hitl', approval_role: 'zu\u0308' }],
    }
    expect(parsePolicies(document, origin).policies).toMatchObject([
      { name: 'z\u00fc', scope: { environments: ['z\u00fc'] }, rules: [{ approval_role: 'z\u00fc' }] },
    ])
  })
})

describe('a broken document', () => {
  const applies_to = { environments: ['production'] }
  const inProduction = { ...EVERYWHERE, environments: ['production'] }

  it.each<[string, unknown, string]>([
    ['an effect in capitals', { name: 'a', applies_to, rules: [{ effect: 'DENY' }] }, 'unknown effect "DENY"'],
    [
      'a note rule that nobody knows',
      { name: 'a', applies_to, rules: [{ effect: 'require_hitl', require_note: true }] },
      'unknown note rule true',
    ],
    ['an unknown effect', { name: 'a', applies_to, rules: [{ effect: 'allow' }] }, 'unknown effect "allow"'],
    ['an unknown key of a rule', { name: 'a', applies_to, rules: [{ effect: 'deny', efect: 'x' }] }, 'unknown key'],
    [
      'a prototype key',
      { name: 'a', applies_to, rules: [JSON.parse('{"effect":"deny","__proto__":{}}')] },
      'unknown key',
    ],
    ['an unknown key', { name: 'a', applies_to, rules, when: 'x' }, 'unknown key'],
    ['no rules', { name: 'a', applies_to, rules: [] }, 'at least one rule'],
    ['rules left out', { name: 'a', applies_to }, 'expected array'],
    [
      'a role that is no text',
      { name: 'a', applies_to, rules: [{ effect: 'deny', approval_role: ['x'] }] },
      'expected string',
    ],
  ])('(%s) turns the gate on inside the scope that can be read', (_, document, message) => {
    const { policies, broken } = parsePolicies(document, origin)
    expect(policies).toEqual([])
    expect(broken).toMatchObject([{ label: 'a', name: 'a', scope: inProduction }])
    expect(broken[0]?.problems.map((problem) => problem.message).join()).toContain(message)
  })

  it.each<[string, unknown]>([
    ['a misspelt whitelist', { name: 'a', applies_to: { enviroments: ['production'] }, rules }],
    ['a misspelt whitelist beside a sound one', { name: 'a', applies_to: { ...applies_to, risk: ['high'] }, rules }],
    ['an unknown risk', { name: 'a', applies_to: { ...applies_to, risks: ['HIGH'] }, rules }],
    ['text for a list', { name: 'a', applies_to: { environments: 'production' }, rules }],
    ['a scope that is a list', { name: 'a', applies_to: ['production'], rules }],
  ])('(%s) turns the gate on everywhere when its scope cannot be read', (_, document) => {
    expect(parsePolicies(document, origin)).toMatchObject({ policies: [], broken: [{ label: 'a', scope: EVERYWHERE }] })
  })

  it.each([
    ['text'],
    [7],
    [true],
    [[null]],
    [['text']],
    [[[]]],
    [{}],
    [{ rules }],
    [{ name: '', rules }],
    [{ name: 1, rules }],
  ])('%j is broken and named after its source', (document) => {
    const { policies, broken } = parsePolicies(document, origin)
    expect(policies).toEqual([])
    expect(broken.map(({ label, name, scope }) => ({ label, name, scope }))).toEqual([
      { label: Array.isArray(document) ? 'guard.yaml[0]' : 'guard.yaml', name: undefined, scope: EVERYWHERE },
    ])
  })

  it('leaves its neighbours in the same list sound', () => {
    const { policies, broken } = parsePolicies([{ name: 'a', rules }, { name: 'b' }, { name: 'c', rules }], origin)
    expect([policies.map((policy) => policy.name), broken.map(({ label }) => label)]).toEqual([['a', 'c'], ['b']])
  })

  it('is one that carries another name than it is stored under', () => {
    const stored = { layer: 'console', source: 'console', name: 'a', author: 'usr_1' } as const
    expect(parsePolicies({ name: 'b', rules }, stored).broken).toMatchObject([{ label: 'a', name: 'a' }])
    expect(parsePolicies({ name: 'a', rules }, stored).policies).toMatchObject([{ name: 'a', author: 'usr_1' }])
  })
})
