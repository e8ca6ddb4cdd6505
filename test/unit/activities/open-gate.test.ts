import { expect, test } from 'vitest'
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
