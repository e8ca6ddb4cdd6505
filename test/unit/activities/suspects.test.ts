import { expect, test } from 'vitest'
import { createSuspects } from '#activities/suspects.ts'
import type { LegOutcome } from '#core/contract.ts'

const DONE: LegOutcome = { kind: 'closed', status: 'succeeded' }

test('one suspect is at work at a time, beside any number of others, and those that wait ask more seldom as it takes longer', async () => {
  let now = 0
  const suspects = createSuspects(() => now)
  let end: (outcome: LegOutcome) => void = () => undefined
  const first = suspects.watch(1, () => new Promise<LegOutcome>((resolve) => (end = resolve)))
  expect(suspects.busy()).toBe(true)
  expect(await suspects.watch(0, async () => DONE)).toEqual(DONE)
  const second = () =>
    suspects.watch(1, async () => {
      throw new Error('two at a time')
    })
  expect(await second()).toMatchObject({ kind: 'delayed', delay_ms: 500 })
  now = 8_000
  expect(await second()).toMatchObject({ delay_ms: 4_000 })
  now = 3_600_000
  expect(await second()).toMatchObject({ delay_ms: 15_000 })
  end(DONE)
  expect(await first).toEqual(DONE)
  expect(suspects.busy()).toBe(false)
})

test('a suspect whose work fails leaves its place', async () => {
  const suspects = createSuspects(() => 0)
  const fails = suspects.watch(1, () => Promise.reject(new Error('no')))
  await expect(fails).rejects.toThrow('no')
  expect(await suspects.watch(2, async () => DONE)).toEqual(DONE)
})
