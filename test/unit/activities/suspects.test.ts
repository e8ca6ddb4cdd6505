import { beforeEach, expect, test } from 'vitest'
import { createSuspects, type Suspects } from '#activities/run/suspects.ts'
import type { AdvanceOutcome } from '#core/contract.ts'

const DONE: AdvanceOutcome = { kind: 'closed', status: 'succeeded' }
const WAITS = { kind: 'delayed' }

let now: number
let suspects: Suspects
beforeEach(() => {
  now = 0
  suspects = createSuspects(() => now)
})

/** Begins a run that goes on until `end` is called. */
function begin(processesEnded: number) {
  let end: (outcome: AdvanceOutcome) => void = () => undefined
  const outcome = suspects.watch(processesEnded, () => new Promise<AdvanceOutcome>((resolve) => (end = resolve)))
  return async () => {
    end(DONE)
    expect(await outcome).toEqual(DONE)
  }
}
const ask = (processesEnded: number) => suspects.watch(processesEnded, async () => DONE)
const isHeld = (suspect: boolean) => suspects.holds(async () => suspect)

test('one suspect is at work at a time, and those that wait ask more seldom as it takes longer', async () => {
  const end = begin(1)
  expect(await isHeld(true)).toBe(true)
  expect(await ask(1)).toMatchObject({ kind: 'delayed', delay_ms: 500 })
  now = 8_000
  expect(await ask(1)).toMatchObject({ delay_ms: 4_000 })
  now = 3_600_000
  expect(await ask(1)).toMatchObject({ delay_ms: 15_000 })
  expect(await isHeld(true)).toBe(true)
  await end()
  expect(await isHeld(true)).toBe(false)
  expect(await ask(1)).toEqual(DONE)
})

test('nothing new begins beside a suspect, unless it takes long', async () => {
  const end = begin(1)
  now = 14_000
  expect(await isHeld(false)).toBe(true)
  expect(await ask(0)).toMatchObject(WAITS)
  now = 15_000
  expect(await isHeld(false)).toBe(false)
  expect(await ask(0)).toEqual(DONE)
  await end()
})

test('a suspect waits for what is at work, and nothing new begins before it', async () => {
  const end = begin(0)
  expect(await ask(1)).toMatchObject(WAITS)
  expect(await isHeld(false)).toBe(true)
  expect(await ask(0)).toMatchObject(WAITS)
  await end()
  expect(await ask(0)).toMatchObject(WAITS)
  expect(await isHeld(true)).toBe(false)
  expect(await ask(1)).toEqual(DONE)
  expect(await ask(0)).toEqual(DONE)
})

test('a suspect does not wait for ever, nor do others for one that does not come back', async () => {
  const end = begin(0)
  expect(await ask(1)).toMatchObject(WAITS)
  now = 15_000
  expect(await ask(0)).toEqual(DONE)
  expect(await ask(1)).toEqual(DONE)
  expect(await ask(2)).toMatchObject(WAITS)
  // it was cancelled; the next one that asks waits by itself
  now = 60_000
  expect(await ask(0)).toEqual(DONE)
  expect(await ask(1)).toMatchObject(WAITS)
  await end()
})

test('a suspect whose work fails leaves its place', async () => {
  const fails = suspects.watch(1, () => Promise.reject(new Error('no')))
  await expect(fails).rejects.toThrow('no')
  expect(await ask(2)).toEqual(DONE)
})
