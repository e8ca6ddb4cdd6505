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

test('the daily cap of a workspace is asked beside that of the environment, and where there is no other', async () => {
  const opened = async (ofEnvironment?: number, ofWorkspace?: number) => {
    const limits = ofWorkspace === undefined ? {} : { daily_usd: ofWorkspace }
    const step = gatedStep({
      operator: PAID,
      input: {},
      requires_approval: false,
      deps: {
        clock: () => Date.parse('2026-01-31T23:59:59.999Z'),
        workspaces: {
          find: async (id) => ({
            ...{ id, slug: 'default', status: 'active', default_environment: 'development' },
            limits,
          }),
        },
      },
    })
    step.environment.cost_gate = { max_usd: 5, ...(ofEnvironment !== undefined && { daily_usd: ofEnvironment }) }
    await step.ask()
    const open = step.patches.findLast((patch) => patch.open)?.open
    return [open?.budget_day, open?.daily_cap_micro_usd, open?.workspace_daily_cap_micro_usd]
  }
  expect(await opened()).toEqual([undefined, undefined, undefined])
  expect(await opened(2)).toEqual(['2026-01-31', 2_000_000, undefined])
  expect(await opened(undefined, 3)).toEqual(['2026-01-31', undefined, 3_000_000])
  expect(await opened(2, 3)).toEqual(['2026-01-31', 2_000_000, 3_000_000])
})

test('a profile that is gone narrows no cap, and does not stop the step: its gates are all on', async () => {
  const step = gatedStep({
    operator: PAID,
    input: {},
    deps: {
      environments: {
        get: () => structuredClone(step.environment),
        profile: () => {
          throw new Error('there is no profile default')
        },
      },
    },
  })
  step.environment.cost_gate = { max_usd: 3 }
  expect(await step.ask()).toBeDefined()
  step.approve()
  await step.ask()
  expect(step.patches.findLast(({ open }) => open)?.open?.run_cap_micro_usd).toBe(3_000_000)
})
