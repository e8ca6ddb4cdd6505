import { expect, test } from 'vitest'
import type { Operator } from '#core/operator.ts'
import { gatedStep } from '#test/support/gated-step.ts'

const PAID: Operator = {
  ...{ id: 'test.pay', version: 1, title: 'Pay', risk: 'low', action_type: 'service.restart', capabilities: [] },
  ...{ requires_approval: false, input_schema: {}, wants_scope: false },
  parse: (input) => input,
  replay: () => 'safe',
  estimate: () => ({ llm: 600_000 }),
  describe: () => ({ summary: 'pay', targets: { kind: 'test', ids: [] } }),
  execute: async () => ({ outputs: {} }),
}

test('an attempt is opened under the cap of its environment and profile as they are by then', async () => {
  const limits: { max_usd?: number } = {}
  const step = gatedStep({
    operator: PAID,
    input: {},
    requires_approval: false,
    deps: {
      environments: {
        get: () => structuredClone(step.environment),
        profile: () => ({ name: 'default', requires_approval: [], limits }),
      },
    },
  })
  const opened = async (max_usd: number) => {
    step.environment.cost_gate = { max_usd }
    await step.ask()
    return step.patches.findLast(({ open }) => open)?.open?.run_cap_micro_usd
  }
  expect(await opened(5)).toBe(5_000_000)
  expect(await opened(1)).toBe(1_000_000)
  limits.max_usd = 0.29
  expect(await opened(1)).toBe(290_000)
})

test('a daily cap is the very amount that was written, and never more', async () => {
  const opened = async (daily_usd: number) => {
    const step = gatedStep({ operator: PAID, input: {}, requires_approval: false })
    step.environment.cost_gate = { max_usd: 5, daily_usd }
    await step.ask()
    return step.patches.findLast(({ open }) => open)?.open?.daily_cap_micro_usd
  }
  expect(await opened(2.01)).toBe(2_010_000)
  expect(await opened(0.6)).toBe(600_000)
  expect(await opened(0.6000009)).toBe(600_000)
})
