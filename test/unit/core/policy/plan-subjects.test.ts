import { expect, it } from 'vitest'
import { planRisk } from '#core/policy/plan-subjects.ts'
import type { Risk } from '#core/policy/types.ts'
import { TEST_PLAN } from '#test/support/one-pack.ts'

it.each<[Risk, Risk[], Risk]>([
  ['low', ['low', 'low'], 'low'],
  ['low', ['low', 'high'], 'high'],
  ['low', ['medium', 'low'], 'medium'],
  ['high', ['low', 'medium'], 'high'],
  ['medium', [], 'medium'],
])('a template with %s risk and operators with %j is shown with %s', (risk, operators, shown) => {
  const steps = TEST_PLAN.steps
    .slice(0, operators.length)
    .map((step, at) => ({ ...step, risk: operators[at] ?? step.risk }))
  expect(planRisk({ risk, steps })).toBe(shown)
})
