import { expect, test } from 'vitest'
import { createFloodGauge } from '#services/alerts/flood-gauge.ts'

let at = 0
const gauge = () => {
  at = 1_000
  return createFloodGauge(() => at)
}

test('five hundred alerts a second are a flood, in whatever pieces they come', () => {
  const one = gauge()
  one.add(50)
  expect(one.rising()).toBe(true)
  const many = gauge()
  for (let n = 0; n < 50; n += 1) {
    expect(many.rising()).toBe(false)
    at += 1.9
    many.add(1)
  }
  expect(many.rising()).toBe(true)
})

test('fewer than that are none, however long they go on', () => {
  const slow = gauge()
  for (let n = 0; n < 500; n += 1) {
    at += 2.5
    slow.add(1)
    expect(slow.rising()).toBe(false)
  }
})

test('a flood has ebbed two windows after its last alerts', () => {
  const flood = gauge()
  flood.add(1_000)
  at += 150
  expect(flood.rising()).toBe(true)
  at += 100
  expect(flood.rising()).toBe(false)
})
