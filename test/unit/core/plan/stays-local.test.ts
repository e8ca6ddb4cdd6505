import { expect, test } from 'vitest'
import { LOCAL_STEP_MS, staysLocal } from '#core/plan/estimate-plan.ts'
import type { PlanStep } from '#core/plan/types.ts'
import { TEST_PLAN } from '#test/support/one-pack.ts'

const step = (id: string, timeout_ms: number, requires_approval = false): PlanStep => ({
  ...(TEST_PLAN.steps[0] as PlanStep),
  id,
  timeout_ms,
  requires_approval,
})
const short = (id: string) => step(id, LOCAL_STEP_MS)
const long = (id: string) => step(id, LOCAL_STEP_MS + 1)

test('an execution is local when all that it would begin is short', () => {
  expect(staysLocal([short('a'), short('b')])).toBe(true)
  expect(staysLocal([long('a')])).toBe(false)
  expect(staysLocal([short('a'), long('b')])).toBe(false)
})

test('what comes after a gate is another execution’s', () => {
  expect(staysLocal([short('a'), step('b', 60_000, true), long('c')])).toBe(true)
  expect(staysLocal([long('a'), step('b', 60_000, true)])).toBe(false)
})
