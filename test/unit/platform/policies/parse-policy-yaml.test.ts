import { describe, expect, it } from 'vitest'
import { problemText } from '#core/policy/layer.ts'
import { EVERYWHERE } from '#core/policy/schema.ts'
import { parsePolicyYaml } from '#platform/policies/parse-policy-yaml.ts'

const read = (text: string) => parsePolicyYaml(text, { layer: 'overlay', source: 'guard.yaml' })
const problems = (text: string) =>
  read(text).broken.flatMap(({ source, problems }) => problems.map((problem) => problemText(source, problem)))

const GUARD = `name: guard
applies_to: { environments: [production] }
rules:
  - effect: require_hitl
    reason: people decide
    channels: [ops]
    approval_role: sre
`

describe('policy YAML', () => {
  it('holds one policy, a list, several documents or nothing', () => {
    const names = (text: string) => read(text).policies.map((policy) => policy.name)
    const rules = 'rules: [{ effect: deny }]'
    expect(names(GUARD)).toEqual(['guard'])
    expect(names(`- { name: a, ${rules} }\n- { name: b, ${rules} }`)).toEqual(['a', 'b'])
    expect(names(`name: a\n${rules}\n---\n# nothing here\n---\n- { name: b, ${rules} }`)).toEqual(['a', 'b'])
    for (const text of ['', '# all of it is a comment\n', '---\n'])
      expect(read(text)).toEqual({ policies: [], broken: [] })
  })

  it('reads anchors within a file', () => {
    const text = 'name: a\nrules:\n  - &one { effect: deny, channels: [x] }\n  - *one\n'
    expect(read(text).policies).toMatchObject([{ rules: [{ effect: 'deny' }, { effect: 'deny' }] }])
  })

  it.each([
    [
      'an unknown effect',
      GUARD.replace('require_hitl', 'DENY'),
      'guard.yaml:4:13: rules[0].effect: unknown effect "DENY"',
    ],
    [
      'an unknown key',
      GUARD.replace('reason', 'raeson'),
      'guard.yaml:5:5: rules[0].raeson: unknown key; did you mean reason?',
    ],
    ['a missing key', 'name: a\n', 'guard.yaml:1:1: rules: '],
    ['a syntax error', 'name: a\nrules: [\n', 'guard.yaml:3:1: '],
    [
      'a number that would be rounded',
      'name: a\nrules: [{ when: 9007199254740993 }]\n',
      'guard.yaml:2:17: this is a number that cannot be kept exactly; write it as text, in quotes, or with at most 15 digits where only a number will do',
    ],
    ['a key twice', 'name: a\nrules: []\nname: b\n', 'guard.yaml:3:1: Map keys must be unique'],
    ['an unknown tag', 'name: !!js/function a\n', 'guard.yaml:1:7: Unresolved tag'],
    ['an alias to nothing', 'name: a\nrules: *x\n', 'guard.yaml: Unresolved alias'],
    ['a second document', `${GUARD}---\nname: b\nrules: [{ effect: no }]\n`, 'guard.yaml#2:10:19: rules[0].effect'],
    ['another version', '%YAML 1.1\n---\nname: a\n', 'guard.yaml: only YAML 1.2 is read'],
  ])('names the place of %s', (_, text, expected) => {
    expect(problems(text).join('\n')).toContain(expected)
  })

  it('that cannot be read turns the gate on everywhere, under the name of its file', () => {
    expect(read('name: [')).toMatchObject({ policies: [], broken: [{ label: 'guard.yaml', scope: EVERYWHERE }] })
    expect(read('name: [').broken[0]).not.toHaveProperty('name')
  })

  it('keeps the sound documents of a file beside a broken one', () => {
    expect(read(`${GUARD}---\nname: [`)).toMatchObject({
      policies: [{ name: 'guard' }],
      broken: [{ label: 'guard.yaml#2' }],
    })
  })

  it('does not know merge keys', () => {
    expect(problems('name: a\n<<: { rules: [{ effect: deny }] }\n').join()).toContain('<<: unknown key')
  })

  it.each([
    [
      'an alias bomb',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghi'].map((key, at) => `${key}: &${key} [${Array(9).fill(`*${'abcdefgh'[at]}`)}]`).join('\n')}`,
    ],
    ['more than 256 kB', `# ${'x'.repeat(256 * 1024)}\n${GUARD}`],
    ['a tower of lists', `a: ${'['.repeat(100_000)}`],
    ['a tower of maps', '{a: '.repeat(50_000)],
    ['a tower of dashes', '- '.repeat(100_000)],
    ['a tower of complex keys', `${'? '.repeat(1_000)}x`],
  ])('survives %s', (_, text) => {
    const started = performance.now()
    expect(read(text)).toMatchObject({ policies: [], broken: [{ scope: EVERYWHERE }] })
    expect(performance.now() - started).toBeLessThan(5_000)
  })
})
