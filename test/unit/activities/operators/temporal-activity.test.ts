import { describe, expect, it, test } from 'vitest'
import { temporalActivity } from '#activities/operators/temporal/activity.ts'
import { EnvironmentFile } from '#core/environment/schema.ts'
import { capabilitiesOf } from '#core/operator.ts'

const INPUT = { queue: 'ml', activity: 'train', result_schema: { type: 'object' } }

describe('temporal.activity', () => {
  it('is repeated only where its step says that it may be', () => {
    expect(temporalActivity.replay(temporalActivity.parse(INPUT))).toBe('ask')
    expect(temporalActivity.replay(temporalActivity.parse({ ...INPUT, idempotent: true }))).toBe('safe')
  })

  it('has its queue as a capability', () => {
    expect(capabilitiesOf(temporalActivity, INPUT)).toEqual(['temporal.activity', 'temporal.queue:ml'])
  })

  it('reserves the price of an attempt, and shows it', () => {
    const input = temporalActivity.parse({ ...INPUT, cost: { gpu_usd: 0.5, storage_usd: 0.25 } })
    expect(temporalActivity.estimate?.(input)).toEqual({ gpu: 500_000, storage: 250_000 })
    expect(temporalActivity.describe(input, { idempotency_key: '' }).summary).toMatch(/, for 0\.750000 USD an attempt$/)
  })

  it('shows the argument that is sent', () => {
    const shown = temporalActivity.describe(temporalActivity.parse({ ...INPUT, input: { b: 1, a: 2 } }), {
      idempotency_key: '',
    })
    expect(shown).toMatchObject({ targets: { kind: 'activity', ids: ['ml/train'] } })
    expect(JSON.parse(String(shown.command))).toEqual({ a: 2, b: 1 })
  })

  it.each([
    ['no queue', { queue: 'ML' }],
    ['too large an argument', { input: 'x'.repeat(1_048_577) }],
    ['a time that is none', { heartbeat: 'soon' }],
  ])('refuses %s', (_, change) => {
    expect(() => temporalActivity.parse({ ...INPUT, ...change })).toThrow()
  })
})

test.each(['realtime', 'background', 'ledger', '/_sys/any', ' ml'])(
  'the queue %j is bound to nothing',
  (task_queue) => {
    const found = EnvironmentFile.safeParse({ name: 'development', queues: { ml: { task_queue } } })
    expect(found.success).toBe(false)
  },
)
