import { describe, expect, it } from 'vitest'
import type { JsonObject } from '#core/json/json.ts'
import { checkInputs } from '#core/names/check-inputs.ts'
import type { NormalizedAlert } from '#core/trigger/alert.ts'
import { matchRule } from '#core/trigger/match-rule.ts'
import { checkRule, orderRules, type TriggerRule } from '#core/trigger/rule.ts'
import { RuleSpec } from '#core/trigger/rule-schema.ts'

const alert: NormalizedAlert = {
  source: 'alertmanager',
  service: 'shop-api',
  symptom: 'ServiceUnhealthy',
  status: 'firing',
  severity: 'critical',
  fingerprint: 'alertmanager|shop-api|serviceunhealthy',
  title: 'shop-api answers 503',
  labels: { url: 'http://shop.test', team: 'shop' },
  annotations: {},
  links: [],
  raw_digest: 'sha256:0',
}

function rule(changes: JsonObject, layer: TriggerRule['layer'] = 'pack'): TriggerRule {
  const spec = RuleSpec.parse({ name: 'one', on: 'alert', run: 'sre/service-recovery', ...changes })
  return { ...spec, layer, origin: 'rules.yaml' }
}

const fits = (match: JsonObject) => matchRule([rule({ match })], alert) !== undefined

describe('matchRule', () => {
  it.each<[JsonObject, boolean]>([
    [{}, true],
    [{ source: 'alertmanager', service: 'shop-*', symptom: 'Service?nhealthy', severity: ['high', 'critical'] }, true],
    [{ symptom: ['ServiceDown', 'Service*'] }, true],
    [{ symptom: ['ServiceDown'] }, false],
    [{ service: 'shop' }, false],
    [{ service: 'SHOP-*' }, false],
    [{ source: 'grafana' }, false],
    [{ severity: ['low'] }, false],
    [{ labels: { team: 's*p', url: '*' } }, true],
    [{ labels: { region: '*' } }, false],
    [{ labels: { constructor: '*' } }, false],
    [{ when: 'alert.labels.team == "shop" && has(alert.labels.url)' }, true],
    [{ when: 'alert.labels.region == "eu"' }, false],
    [{ when: 'alert.labels.team' }, false],
  ])('%j fits: %s', (match, expected) => expect(fits(match)).toBe(expected))

  it('answers the first rule that fits: console before overlay before packs, then in the order of the files', () => {
    const rules = orderRules([
      rule({ name: 'pack' }),
      rule({ name: 'overlay 1', match: { service: 'other' } }, 'overlay'),
      rule({ name: 'overlay 2' }, 'overlay'),
      rule({ name: 'console', match: { service: 'other' } }, 'console'),
    ])
    expect(matchRule(rules, alert)?.rule.name).toBe('overlay 2')
    expect(matchRule(rules, { ...alert, service: 'other' })?.rule.name).toBe('console')
  })

  it('maps inputs with their types', () => {
    const inputs = {
      url: `\${{ alert.labels.url }}`,
      labels: `\${{ alert.labels }}`,
      text: `\${{ alert.service }} is down`,
      fixed: 3,
    }
    expect(matchRule([rule({ inputs })], alert)?.inputs).toEqual({
      url: 'http://shop.test',
      labels: { url: 'http://shop.test', team: 'shop' },
      text: 'shop-api is down',
      fixed: 3,
    })
  })

  it('says which rule could not map its inputs', () => {
    expect(() => matchRule([rule({ inputs: { url: `\${{ alert.labels.host }}` } })], alert)).toThrow(
      /^rule one: .*No such key: host/,
    )
  })

  it('leaves rules for other sources alone', () => {
    expect(matchRule([rule({ on: 'pattern' })], alert)).toBeUndefined()
    expect(matchRule([rule({ on: 'pattern' })], alert, 'pattern')).toBeDefined()
    expect(matchRule([], alert)).toBeUndefined()
  })

  it('is not stalled by a glob full of stars', () => {
    const slow = '*a'.repeat(100)
    expect(matchRule([rule({ match: { service: slow } })], { ...alert, service: 'b'.repeat(10_000) })).toBeUndefined()
  })
})

describe('30 kB of an alert', () => {
  const long = { ...alert, description: 'ab '.repeat(10_000) }
  const dear = {
    'lists of lists': 'alert.description.split("").map(c, alert.description.split("")).size() > 0',
    '100 MB of text': 'alert.description.substring(0, 3400).split("").map(c, alert.description).join("") == ""',
    '100 MB of separators': 'alert.description.split("").join(alert.description) == ""',
  }

  it.each(Object.entries(dear))(
    'of which a condition makes %s: the refusal names the rule, and no later one answers',
    (_, when) => {
      const rules = [rule({ name: 'dear', match: { when } }), rule({ name: 'later' })]
      expect(() => matchRule(rules, long)).toThrow(/^rule dear: match\.when: .*units of work/)
    },
  )

  it('of which an input makes as much: the refusal names it, too', () => {
    const inputs = { url: `\${{ ${dear['100 MB of text']} }}` }
    expect(() => matchRule([rule({ name: 'dear', inputs })], long)).toThrow(/^rule dear: inputs: .*units of work/)
  })

  it('are looked at by all rules of a workspace together, up to a limit', () => {
    const when = 'alert.description.split(" ").exists(word, word == "c")'
    const rules = (count: number) => Array.from({ length: count }, (_, n) => rule({ name: `r${n}`, match: { when } }))
    expect(matchRule(rules(1), long)).toBeUndefined()
    expect(() => matchRule(rules(4), long)).toThrow(/^rule r\d+: match\.when: .*units of work/)
  })
})

describe('a rule as people write it', () => {
  it('has defaults and durations in milliseconds', () => {
    expect(
      RuleSpec.parse({
        name: 'a',
        on: 'alert',
        run: 'a/b',
        limits: { max_runs: { count: 2, per: '1h' }, cooldown: '5m' },
      }),
    ).toEqual({
      name: 'a',
      on: 'alert',
      run: 'a/b',
      match: { severity: [], labels: {} },
      inputs: {},
      on_resolved: 'record',
      limits: { max_runs: { count: 2, per: 3_600_000 }, cooldown: 300_000 },
    })
  })

  it.each([
    [{ on: 'mail' }],
    [{ run: 'template' }],
    [{ match: { sevrity: ['high'] } }],
    [{ match: { severity: ['urgent'] } }],
    [{ on_resolved: 'ignore' }],
    [{ limits: { cooldown: '5' } }],
  ])('%j is refused', (changes) =>
    expect(RuleSpec.safeParse({ name: 'a', on: 'alert', run: 'a/b', ...changes }).success).toBe(false),
  )

  it('has its expressions checked before any alert arrives', () => {
    const faulty = rule({
      match: { when: 'alert.host == ""' },
      inputs: { a: `x \${{ inputs.url }}`, b: `\${{ alert. }}` },
    })
    expect(checkRule(faulty, [0])).toEqual([
      { path: [0, 'match', 'when'], offset: 0, message: expect.stringContaining('there is no alert.host') },
      { path: [0, 'inputs', 'a'], offset: 6, message: 'unknown variable inputs: there are alert' },
      { path: [0, 'inputs', 'b'], offset: expect.any(Number), message: expect.stringContaining('Expected') },
    ])
  })
})

describe('the inputs of a rule, against those of what it starts', () => {
  const schema = {
    type: 'object',
    properties: {
      url: { type: 'string' },
      count: { type: 'integer' },
      labels: { type: 'object' },
      nested: { type: 'object', properties: { on: { type: 'boolean' } } },
    },
  }
  const check = (inputs: JsonObject) =>
    checkInputs({ run: 'demo/hello', inputs }, schema, [0]).map(({ path, message }) => `/${path.join('/')}: ${message}`)

  it.each<[JsonObject, string[]]>([
    [
      { count: `\${{ alert.labels.replicas }}` },
      ['/0/inputs/count: the input count of demo/hello has the type integer, but this has the type string'],
    ],
    [
      { count: `\${{ alert.labels["replicas"] }}` },
      ['/0/inputs/count: the input count of demo/hello has the type integer, but this has the type string'],
    ],
    [
      { count: `\${{ alert.service }} is down` },
      ['/0/inputs/count: the input count of demo/hello has the type integer, but this has the type string'],
    ],
    [
      { url: `\${{ alert.labels }}` },
      ['/0/inputs/url: the input url of demo/hello has the type string, but this has the type object'],
    ],
    [
      { url: `\${{ alert.severity == "high" }}` },
      ['/0/inputs/url: the input url of demo/hello has the type string, but this has the type boolean'],
    ],
    [
      { labels: `\${{ alert.links }}` },
      ['/0/inputs/labels: the input labels of demo/hello has the type object, but this has the type array'],
    ],
    [
      { nested: { on: `\${{ alert.title }}` } },
      ['/0/inputs/nested/on: the input on of demo/hello has the type boolean, but this has the type string'],
    ],
    [
      {
        ...{
          url: `\${{ alert.labels.url }}`,
          count: `\${{ int(alert.labels.replicas) }}`,
          labels: `\${{ alert.labels }}`,
        },
        nested: { on: `\${{ alert.severity == "high" }}` },
      },
      [],
    ],
  ])('%j', (inputs, expected) => expect(check(inputs)).toEqual(expected))
})
