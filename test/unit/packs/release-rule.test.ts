import { afterAll, expect, it } from 'vitest'
import { createOperators } from '#activities/operators/index.ts'
import { renderValue } from '#core/expression/parse-template-string.ts'
import type { JsonObject } from '#core/json/json.ts'
import { validateInputs } from '#core/plan/validate-inputs.ts'
import type { NormalizedAlert } from '#core/trigger/alert.ts'
import { matchRule } from '#core/trigger/match-rule.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createPackRegistry, packDirs } from '#platform/packs/pack-registry.ts'

const catalog = createOperators({ egress: createEgressClient() })
const packs = createPackRegistry({ dirs: packDirs(), catalog, log: { info: () => undefined, warn: () => undefined } })
afterAll(() => packs.close())

const alert: NormalizedAlert = {
  source: 'alertmanager',
  service: 'shop',
  symptom: 'ErrorRateHigh',
  status: 'firing',
  severity: 'critical',
  fingerprint: 'x',
  title: 'shop answers 500',
  labels: { release_repository: 'team/shop.git' },
  annotations: {},
  links: [],
  raw_digest: 'sha256:0',
}
const rollback = packs.findTemplate('sre', 'deploy-rollback')

it.each(['ErrorRateHigh', 'HighErrorRate', 'ErrorBudgetBurnFast'])('%s starts sre/deploy-rollback', (symptom) => {
  const matched = matchRule(packs.rules(), { ...alert, symptom })
  expect(matched?.rule).toMatchObject({ run: 'sre/deploy-rollback', on_resolved: 'withdraw' })
  expect(validateInputs(rollback?.inputs_schema ?? {}, matched?.inputs ?? {})).toMatchObject({
    valid: true,
    normalized: { service: 'shop', repository: 'team/shop.git', query: '', branch: 'main', watch: '10m' },
  })
})

it('takes repository and query from annotations, and starts nothing where the repository is not known', () => {
  const annotations = { release_repository: 'shop.git', error_rate_query: 'shop:errors:ratio' }
  expect(matchRule(packs.rules(), { ...alert, labels: {}, annotations })?.inputs).toMatchObject({
    ...{ repository: 'shop.git', query: 'shop:errors:ratio' },
  })
  expect(matchRule(packs.rules(), { ...alert, labels: {} })).toBeUndefined()
})

it('asks for the share of 5xx of the service unless it is given a query', () => {
  const now = rollback?.plan.steps.find(({ id }) => id === 'now')
  const asked = (query: string) =>
    (renderValue(now?.with ?? {}, { inputs: { service: 'shop', metrics: 'metrics', query } }) as JsonObject)['query']
  expect(asked('vector(1)')).toBe('vector(1)')
  expect(asked('')).toBe(
    'sum(rate(http_requests_total{service="shop",code=~"5.."}[5m])) / sum(rate(http_requests_total{service="shop"}[5m]))',
  )
})
