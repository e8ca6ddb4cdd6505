import { expect, test } from 'vitest'
import { type BusHistory, findBusFaults, type Handled } from '../../support/bus-history.ts'

const publication = (event_id: string, outcome: 'acknowledged' | 'unknown' | 'undone' = 'acknowledged') => ({
  event_id,
  topic: 'a',
  workspace_id: 'w',
  transaction: event_id,
  outcome,
})
const had = (event_id: string, id: number, at: number, redelivered = false): Handled => ({
  event_id,
  topic: 'a',
  id,
  at,
  redelivered,
})

function faults(handled: Handled[], over: Partial<BusHistory> = {}) {
  const subscriber = { name: 'one', wants: () => true, handled, crashes: [] }
  return findBusFaults({
    published: [publication('p:0'), publication('p:1')],
    logged: ['p:0', 'p:1'],
    subscribers: [subscriber],
    crashes: [],
    ...over,
  })
}

const good = [had('p:0', 1, 10), had('p:1', 2, 20)]

test('a history without faults has none', () => {
  const none = { skipped: [], foreign: [], reordered: [], unflagged: [], repeated: [] }
  expect(faults(good)).toEqual({ lost: [], invented: [], doubled: [], subscribers: { one: none } })
})

test('what the log lacks, holds twice, or nobody committed is found', () => {
  expect(faults([], { logged: ['p:0'] }).lost).toEqual(['p:1'])
  expect(faults([], { logged: ['p:0', 'p:1', 'p:0'] }).doubled).toEqual(['p:0'])
  expect(faults([], { published: [publication('p:0'), publication('p:1', 'undone')] }).invented).toEqual(['p:1'])
  const half = [publication('p:0', 'unknown'), { ...publication('p:1', 'unknown'), transaction: 'p:0' }]
  expect(faults([], { published: half, logged: ['p:0'] }).invented).toEqual(['p:1'])
})

test('a message whose answer was lost counts only when it was committed', () => {
  const published = [publication('p:0'), publication('p:1', 'unknown')]
  expect(faults([had('p:0', 1, 10)], { published, logged: ['p:0'] }).lost).toEqual([])
  expect(faults([had('p:0', 1, 10)], { published }).subscribers['one']?.skipped).toEqual(['p:1'])
})

test('what a subscriber lacks, should not have, or had out of order is found', () => {
  expect(faults([had('p:0', 1, 10)]).subscribers['one']?.skipped).toEqual(['p:1'])
  expect(faults([...good, had('q:0', 3, 30)]).subscribers['one']?.foreign).toEqual(['q:0'])
  expect(faults([had('p:1', 2, 10), had('p:0', 1, 20)]).subscribers['one']?.reordered).toEqual(['p:0'])
  expect(faults([had('p:1', 1, 10), had('p:0', 2, 20)]).subscribers['one']?.reordered).toEqual(['p:0'])
})

test('a second delivery must say so and needs a crash between the two', () => {
  const crashes = [{ from: 30, to: 40 }]
  const again = (redelivered: boolean) => [...good, had('p:1', 2, 50, redelivered)]
  expect(faults(again(true), { crashes }).subscribers['one']).toMatchObject({ unflagged: [], repeated: [] })
  expect(faults(again(false), { crashes }).subscribers['one']?.unflagged).toEqual(['p:1'])
  expect(faults(again(true)).subscribers['one']?.repeated).toEqual(['p:1'])
})
