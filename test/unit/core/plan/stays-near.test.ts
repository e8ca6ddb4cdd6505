import { expect, test } from 'vitest'
import { NEAR_STEP_MS, staysNear } from '#core/plan/estimate-plan.ts'
import type { PlanStep } from '#core/plan/types.ts'
import { TEST_PLAN } from '#test/support/one-pack.ts'

const step = (id: string, timeout_ms: number, requires_approval = false): PlanStep => ({
  ...(TEST_PLAN.steps[0] as PlanStep),
  id,
  timeout_ms,
  requires_approval,
})
const short = (id: string) => step(id, NEAR_STEP_MS)
const long = (id: string) => step(id, NEAR_STEP_MS + 1)

test('a leg is near when all that it would begin is short', () => {
  expect(staysNear([short('a'), short('b')])).toBe(true)
  expect(staysNear([long('a')])).toBe(false)
  expect(staysNear([short('a'), long('b')])).toBe(false)
})

test('what comes after a gate is another leg’s', () => {
  expect(staysNear([short('a'), step('b', 60_000, true), long('c')])).toBe(true)
  expect(staysNear([long('a'), step('b', 60_000, true)])).toBe(false)
})
