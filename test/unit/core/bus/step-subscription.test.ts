import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SubscriptionWorld } from './subscription-world.ts'

type Action = (world: SubscriptionWorld) => void

const n = fc.nat(5)
const which = fc.tuple(n, n, n)
const some = fc.oneof(fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }), fc.constant<boolean[]>([false]))

const finish = which.map(
  ([process, at, luck]): Action =>
    (world) =>
      world.finish(process, at, luck),
)
const publish = fc.tuple(some, fc.boolean()).map(
  ([wanted, notified]): Action =>
    (world) =>
      world.publish(wanted, notified),
)
const look = n.map(
  (process): Action =>
    (world) =>
      world.refresh(process),
)
const wait = fc.constantFrom(50, 250, 6_000).map(
  (ms): Action =>
    (world) => {
      world.now += ms
    },
)
const close = n.map(
  (process): Action =>
    (world) =>
      world.close(process % world.processes.length),
)
const fault = fc.oneof(
  fc.tuple(n, n, fc.boolean()).map(
    ([process, at, effect]): Action =>
      (world) =>
        world.fail(process, at, effect),
  ),
  fc.tuple(n, fc.boolean()).map(
    ([process, effect]): Action =>
      (world) =>
        world.crash(process % world.processes.length, effect),
  ),
  fc.tuple(n, fc.boolean()).map(
    ([process, isNoticed]): Action =>
      (world) =>
        world.lose(process, isNoticed),
  ),
)
const redrive = fc.constant<Action>((world) => world.redrive())

const quiet = [
  { weight: 12, arbitrary: finish },
  { weight: 2, arbitrary: publish },
  { weight: 2, arbitrary: look },
  { weight: 1, arbitrary: wait },
]
const calm = fc.array(fc.oneof(...quiet), { minLength: 10, maxLength: 80 })
const stormy = fc.array(
  fc.oneof(
    ...quiet,
    { weight: 1, arbitrary: fault },
    { weight: 1, arbitrary: close },
    { weight: 1, arbitrary: redrive },
  ),
  { minLength: 10, maxLength: 150 },
)

test('whatever fails, each message is dealt with, in order, and one that may have been before says so', () => {
  fc.assert(
    fc.property(stormy, (deeds) => {
      const world = new SubscriptionWorld(2)
      world.publish([true, false, true, true, true, false, true, true], true)
      for (const action of deeds) action(world)
      world.settle()
    }),
    { numRuns: 300 },
  )
})

test('a message that ends every process that handles it is put aside after the second, and the rest is handled', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.array(n, { minLength: 1, maxLength: 20 }), (deadly, order) => {
      const world = new SubscriptionWorld(1)
      world.publish(Array(8).fill(true), true)
      let ends = 0
      for (let at = 0; !world.letters.has(deadly) && at < 500; at += 1) {
        const { pending } = world.process(0)
        const isDeadly = pending.some((each) => each.do === 'deliver' && each.row.id === deadly)
        if (isDeadly) {
          world.crash(0, false)
          world.refresh(0)
          ends += 1
        } else world.finish(0, order[at % order.length] ?? 0, 0)
        world.now += 10
      }
      expect(ends).toBe(2)
      world.settle()
      expect([...world.letters.keys()]).toEqual([deadly])
    }),
    { numRuns: 200 },
  )
})

test('a clean stop at any moment leaves nothing to come twice, and nothing in doubt', () => {
  fc.assert(
    fc.property(calm, calm, (before, after) => {
      const world = new SubscriptionWorld(1)
      world.publish([true, true, true, true, false, true, true, true], true)
      for (const action of before) action(world)
      const closing = world.process(0)
      world.close(0)
      while (world.process(0) === closing) world.finish(0, 0, 0)
      const { position } = closing.state
      expect(world.cursor ?? { last_id: 0, reading_to: 0 }).toMatchObject({ last_id: position, reading_to: position })
      for (const action of after) action(world)
      world.settle()
      expect([...world.flagged]).toEqual([])
    }),
    { numRuns: 100 },
  )
})

test('what a crash left in doubt stays so, even if the next process is stopped cleanly in the middle of it', () => {
  const world = new SubscriptionWorld(1)
  world.publish([true, true, true], true)
  const until = (handled: number) => {
    for (let more = 40; more > 0 && world.done.size < handled; more -= 1) world.finish(0, 0, 0)
  }
  until(3)
  world.crash(0, false)
  expect(world.cursor).toMatchObject({ last_id: 0, reading_to: 3 })
  world.done.clear()
  world.refresh(0)
  until(1)
  const closing = world.process(0)
  world.close(0)
  while (world.process(0) === closing) world.finish(0, 0, 0)
  expect(world.cursor).toMatchObject({ last_id: 1, reading_to: 3 })
  world.settle()
  expect([...world.flagged]).toEqual([1, 2, 3])
})

test('a batch that holds nothing for the subscriber is passed without a read only when it follows the position', () => {
  const world = new SubscriptionWorld(1)
  while (world.process(0).state.doing.is !== 'resting') world.finish(0, 0, 0)
  world.publish([false, false], true)
  expect(world.process(0)).toMatchObject({ state: { position: 2 }, pending: [{ do: 'rest' }] })
  world.publish([true], true)
  world.fail(0, 0, false)
  world.publish([false], true)
  expect(world.process(0)).toMatchObject({ state: { position: 2 }, pending: [{ do: 'rest', for: 'retry' }] })
  world.settle()
})

test('a letter stays until it is handled', () => {
  const world = new SubscriptionWorld(1)
  world.publish([true], true)
  while (world.letters.size === 0) world.finish(0, 0, 2)
  for (const luck of [2, 0]) {
    expect([...world.letters]).toEqual([[1, false]])
    world.redrive()
    world.refresh(0)
    while (world.letters.get(1) === true || world.process(0).pending.some((each) => each.do === 'remove_letter'))
      world.finish(0, 0, luck)
  }
  expect(world.letters.size).toBe(0)
})
