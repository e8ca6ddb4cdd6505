import { afterEach, beforeEach, expect, it } from 'vitest'
import { faultText } from '#core/file-fault.ts'
import { SAID } from './bad-bundle-texts.ts'
import { BAD_BUNDLES } from './bad-bundles.ts'
import { type BundleWorld, bundleWorld } from './bundle-world.ts'

const FILE = 'pipelines/one/pipeline.yaml:'

let world: BundleWorld
beforeEach(() => {
  world = bundleWorld()
})
afterEach(() => world.remove())

it.each(BAD_BUNDLES)('$what is told with its place', ({ what, yaml }) => {
  const faults = world.faultsOf(yaml)
  const reported = faults.map((each) => `${faultText(each)}${each.warning ? ' (warning)' : ''}`)
  expect(reported).toEqual(SAID[what]?.map((text) => `${FILE}${text}`))
})

it('a bundle with a fault starts nothing, and says each fault with its place', () => {
  for (const { what, yaml } of BAD_BUNDLES) {
    const faults = world.faultsOf(yaml)
    if (faults.every(({ warning }) => warning)) continue
    let refused: unknown
    try {
      world.source.find('one', 'release')
    } catch (error) {
      refused = error
    }
    expect(refused, what).toMatchObject({
      code: 'validation_failed',
      details: {
        errors: faults.map((fault) => ({
          pointer: '/bundle_path',
          msg: faultText(fault),
          line: fault.line,
          column: fault.column,
        })),
      },
    })
  }
})

it('each way to be wrong stands in the table once', () => {
  const ways = BAD_BUNDLES.map(({ what }) => what)
  expect(Object.keys(SAID)).toEqual(ways)
  expect(ways.length).toBeGreaterThan(90)
})
