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
