import { expect, test } from 'vitest'
import type { Operator } from '#core/operator.ts'
import { gatedStep } from '#test/support/gated-step.ts'

test('a gate ends, and is announced again, counted from one moment', async () => {
  let now = 0
  const clock = () => {
    now += 1
    return now
  }
  const step = gatedStep({ operator: 'core.wait', input: { for: '1s' }, deps: { clock, approval_ttl_ms: 60_000 } })
  Object.assign(step.environment.approval, { remind_after_ms: 60_000 })
  await step.ask()
  const gate = step.patches.at(-1)?.gate
  expect(gate?.view).toMatchObject({ sla: { remind_at: gate?.expires_at } })
})

const CLAIMS: Operator = {
  ...{ id: 'test.claims', version: 1, title: 'Claims', risk: 'medium', action_type: 'test.write', capabilities: [] },
  ...{ requires_approval: false, input_schema: {}, wants_scope: false },
  parse: (input) => input,
  replay: () => 'safe',
  riskOf: ({ destroys }) => (destroys === true ? 'high' : 'medium'),
  describe: () => ({ summary: 'claim', targets: { kind: 'test', ids: [] } }),
  execute: async () => ({ outputs: {} }),
}

test.each([
  [true, 'high'],
  [false, 'medium'],
])('a gate shows the risk that was judged, of what this input does (%s)', async (destroys, risk) => {
  const step = gatedStep({ operator: CLAIMS, input: { destroys } })
  await step.ask()
  expect(step.patches.at(-1)?.gate?.view).toMatchObject({ operation: { risk } })
})
