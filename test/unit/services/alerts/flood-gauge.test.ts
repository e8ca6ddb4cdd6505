import { expect, test } from 'vitest'
import { createBusyGauge, createFloodGauge } from '#services/alerts/flood-gauge.ts'

let at = 0
let share = 0
const gauge = () => {
  at = 1_000
  return createFloodGauge(
    () => at,
    () => share,
  )
}

test('five hundred alerts a second are a flood, in whatever pieces they come', () => {
  const one = gauge()
  one.add(50)
  expect(one.pressure()).toBe('flood')
  const many = gauge()
  for (let n = 0; n < 50; n += 1) {
    expect(many.pressure()).toBe('none')
    at += 1.9
    many.add(1)
  }
  expect(many.pressure()).toBe('flood')
})

test('fewer than that are none, however long they go on', () => {
  const slow = gauge()
  for (let n = 0; n < 500; n += 1) {
    at += 2.5
    slow.add(1)
    expect(slow.pressure()).toBe('none')
  }
})

test('a flood has ebbed two windows after its last alerts', () => {
  const flood = gauge()
  flood.add(1_000)
  at += 150
  expect(flood.pressure()).toBe('flood')
  at += 100
  expect(flood.pressure()).toBe('none')
})

test('a flood that takes more than half of the time of the process is an overload; being busy alone is not', () => {
  share = 0.51
  const heavy = gauge()
  expect(heavy.pressure()).toBe('none')
  expect(heavy.pressure(true)).toBe('overload')
  heavy.add(50)
  expect(heavy.pressure()).toBe('overload')
  share = 0.5
  expect(heavy.pressure()).toBe('flood')
})

test('the share of work is that since the last look, over a window at least', () => {
  let spent = { active: 5_000, idle: 5_000 }
  const busy = createBusyGauge(() => spent)
  const pass = (active: number, idle: number) => {
    spent = { active: spent.active + active, idle: spent.idle + idle }
  }
  pass(60, 30)
  expect(busy()).toBe(0)
  pass(15, 15)
  expect(busy()).toBeCloseTo(75 / 120)
  pass(0, 99)
  expect(busy()).toBeCloseTo(75 / 120)
  pass(0, 1)
  expect(busy()).toBe(0)
})

test('what Node says about its own loop is understood', () => {
  const busy = createBusyGauge()
  const until = performance.now() + 120
  while (performance.now() < until);
  expect(busy()).toBeGreaterThan(0.5)
})
