import { beforeEach, expect, test } from 'vitest'
import { createGatheredUpdates, type GatheredUpdates } from '#workers/loops/gathered-updates.ts'

let now = 0
let gathered: GatheredUpdates

beforeEach(() => {
  now = 1_000
  gathered = createGatheredUpdates(() => now)
})

test('updates of a pipeline that this process has not looked at are handled at once', () => {
  expect(gathered.waitOf('pl_1', 1)).toBe(0)
  expect(gathered.areLast('pl_1', 1)).toBe(false)
})

test('where each counts, they only rest after the last look', () => {
  gathered.evaluated('pl_1', { count: 1, ends: false })
  expect(gathered.waitOf('pl_1', 1)).toBeGreaterThan(0)
  now += 50
  expect(gathered.waitOf('pl_1', 1)).toBe(0)
})

test('where nothing follows from fewer, they wait for each other, and not for long', () => {
  gathered.evaluated('pl_1', { count: 3, ends: true })
  now += 10_000
  expect(gathered.waitOf('pl_1', 1)).toBe(200)
  now += 150
  expect(gathered.waitOf('pl_1', 2)).toBe(50)
  expect(gathered.areLast('pl_1', 2)).toBe(false)
  expect(gathered.waitOf('pl_1', 3)).toBe(0)
  expect(gathered.areLast('pl_1', 3)).toBe(true)
  now += 50
  expect(gathered.waitOf('pl_1', 2)).toBe(0)
})
