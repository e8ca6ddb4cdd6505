import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Canary, startCanary } from '#test/support/canary.ts'
import { gatedStep } from '#test/support/gated-step.ts'

let target: Canary
let headers: Record<string, string>
beforeAll(async () => {
  target = await startCanary((_request, response) => response.writeHead(429, headers).end())
})
afterAll(() => target?.stop())

test.each([
  ['8', 8_000],
  ['1.5', 1_500],
  // as far as the step has the time
  ['3600', 20_000],
])('a step whose target asks to wait %s s is tried again after %i ms, and holds no worker', async (said, delay_ms) => {
  headers = { 'retry-after': said }
  const input = { method: 'GET', url: target.url }
  const step = gatedStep({ operator: 'http.request', input, attempts: 2, requires_approval: false })
  await expect(step.ask()).rejects.toThrow(`"kind":"delayed","delay_ms":${delay_ms}`)
  expect(step.patches.at(-1)?.events).toContainEqual(
    expect.objectContaining({ type: 'step.failed', data: expect.objectContaining({ retry_in_ms: delay_ms }) }),
  )
  const { error } = step.patches.at(-1)?.settle ?? {}
  expect(error).toMatchObject({ retry_at: expect.stringMatching(/Z$/) })
  expect((error as Record<string, unknown> | undefined)?.['retry_after_ms']).toBe(
    delay_ms < Number(said) * 1_000 ? Number(said) * 1_000 : undefined,
  )
})
