import { expect, test } from 'vitest'
import { SEEDED_ENVIRONMENTS } from '#core/environment/defaults.ts'
import type { NormalizedAlert } from '#core/trigger/alert.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import { RuleSpec } from '#core/trigger/rule-schema.ts'
import { whyUnmatched } from '#services/alerts/match-alerts.ts'

const rule = (name: string, environment: string): TriggerRule => ({
  ...RuleSpec.parse({ name, on: 'alert', match: { symptom: 'DiskFull' }, run: 'sre/service-recovery', environment }),
  layer: 'overlay',
  origin: 'rules/a.yaml',
})

const alert: NormalizedAlert = {
  source: 'ci',
  service: 'checkout',
  symptom: 'DiskFul',
  status: 'firing',
  severity: 'high',
  fingerprint: 'f',
  title: 'disk',
  labels: {},
  annotations: {},
  links: [],
  raw_digest: '',
}

const environments = {
  list: () => SEEDED_ENVIRONMENTS,
  get: (name: string) => SEEDED_ENVIRONMENTS.find((each) => each.name === name && name !== 'production'),
}

test('a rule of an environment that is kept from this workspace is not told of', () => {
  expect(whyUnmatched({ environments }, [rule('hidden', 'production')], alert)).toEqual({})
})

test('a rule whose environment there is nowhere is', () => {
  expect(whyUnmatched({ environments }, [rule('slip', 'producton'), rule('hidden', 'production')], alert)).toEqual({
    detail: 'no rule fits; slip came nearest: the symptom of the alert is DiskFul, not DiskFull',
  })
})
