import { expect, test } from 'vitest'
import type { NormalizedAlert } from '#core/trigger/alert.ts'
import { nearestRule } from '#core/trigger/nearest-rule.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import { RuleSpec } from '#core/trigger/rule-schema.ts'

const rule = (name: string, match: object, on = 'alert'): TriggerRule => ({
  ...RuleSpec.parse({ name, on, match, run: 'shop/drain-node' }),
  layer: 'overlay',
  origin: 'rules/nodes.yaml',
})

const alert: NormalizedAlert = {
  source: 'alertmanager',
  service: 'checkout',
  symptom: 'NodeNotRedy',
  status: 'firing',
  severity: 'high',
  fingerprint: 'f',
  title: 'a node',
  labels: { node: 'n1' },
  annotations: {},
  links: [],
  raw_digest: '',
}

test('says which rule came nearest, and everything of it that does not fit', () => {
  const rules = [
    rule('far', { service: 'search', symptom: 'Slow', severity: ['low'] }),
    rule('near', { service: 'check*', symptom: 'NodeNotReady', labels: { team: 'shop' } }),
    rule('no-alert', {}, 'pattern'),
  ]
  expect(nearestRule(rules, alert)).toBe(
    'no rule fits; near came nearest: the symptom of the alert is NodeNotRedy, not NodeNotReady; the label team of the alert is missing, not shop',
  )
})

test('names the condition where everything else fits, and nothing where no rule is for alerts', () => {
  expect(nearestRule([rule('only', { when: 'has(alert.labels.url)' })], alert)).toMatch(/only came nearest: .*`when`/)
  expect(nearestRule([rule('other', {}, 'pattern')], alert)).toBeUndefined()
})

test('of rules that miss as much, the one that fits in more came nearest, and then the one that differs by a slip', () => {
  const rules = [
    rule('other', { service: 'search' }),
    rule('same-service', { service: 'checkout', source: 'alert*', symptom: 'DiskFull' }),
    rule('slip', { service: 'checkout', source: 'alert*', symptom: 'NodeNotReady' }),
  ]
  expect(nearestRule(rules, alert)).toMatch(/; slip came nearest: the symptom /)
  expect(nearestRule(rules.slice(0, 2), alert)).toMatch(/; same-service came nearest: the symptom /)
})

test('no rule is called the nearest that has nothing in common with the alert', () => {
  const apart = [rule('other', { service: 'search', source: '*' }), rule('third', { labels: { team: 'shop' } })]
  expect(nearestRule(apart, alert)).toBe('no rule fits, and none is near: each differs in all that it asks for')
})

test('says where too many rules were there to compare all', () => {
  const many = Array.from({ length: 3_000 }, (_, at) => rule(`r${at}`, { service: 'checkout', symptom: 'DiskFull' }))
  expect(nearestRule(many, alert)).toMatch(/^no rule fits; r0 came nearest of the first \d+: the symptom /)
})
