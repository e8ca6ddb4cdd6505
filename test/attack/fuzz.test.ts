import { expect, inject, test } from 'vitest'
import { fileFixture } from '#test/support/file-fixture.ts'
import { runFuzz, startFuzzWorld } from './fuzz.ts'

const ACTIONS = 300
/** others: `npm run attack -- --fuzz` */
const SEEDS = [1]

const world = fileFixture(
  () => startFuzzWorld({ postgres_url: inject('postgres_url'), temporal_address: inject('temporal_address') }),
  (world) => world.service.stop(),
)

test.each(SEEDS)(
  'what one workspace writes and sends delays, ends and tells another one nothing: seed %i',
  async (seed) => {
    const { breaches, statuses } = await runFuzz(world, { seed, actions: ACTIONS })
    expect(breaches).toEqual([])
    // it gets further than the first check
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['rule 201', 'document 422', 'alert 202']))
  },
)
