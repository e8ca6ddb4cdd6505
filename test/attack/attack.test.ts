import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { runAttack } from './attack.ts'
import { startWorld, type World } from './world.ts'

const ACTIONS = 330
/** others: `npm run attack` */
const SEEDS = [1]

let world: World
beforeAll(async () => {
  world = await startWorld({ postgres_url: inject('postgres_url'), temporal_address: inject('temporal_address') })
})
afterAll(() => world.stop())

test.each(SEEDS)('anyone who reaches the engine changes nothing that people decide: seed %i', async (seed) => {
  const actions = Array.from({ length: ACTIONS }, (_, index) => index)
  const { breaches } = await runAttack(world, { seed, actions })
  expect(breaches.map(({ message }) => message)).toEqual([])
})
