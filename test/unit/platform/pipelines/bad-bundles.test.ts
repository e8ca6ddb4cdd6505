import { afterEach, beforeEach, expect, it } from 'vitest'
import { faultText } from '#core/file-fault.ts'
import { BAD_BUNDLES } from './bad-bundles.ts'
import { type BundleDesk, bundleDesk } from './bundle-desk.ts'
import { TOLD } from './told.ts'

const FILE = 'pipelines/one/pipeline.yaml:'

let desk: BundleDesk
beforeEach(() => {
  desk = bundleDesk()
})
afterEach(() => desk.remove())

it.each(BAD_BUNDLES)('$what is told with its place', ({ what, yaml }) => {
  const faults = desk.faultsOf(yaml)
  const told = faults.map((each) => `${faultText(each)}${each.warning ? ' (warning)' : ''}`)
  expect(told).toEqual(TOLD[what]?.map((text) => `${FILE}${text}`))
})

it('a bundle with a fault starts nothing, and says each fault with its place', () => {
  for (const { what, yaml } of BAD_BUNDLES) {
    const faults = desk.faultsOf(yaml)
    if (faults.every(({ warning }) => warning)) continue
    let refused: unknown
    try {
      desk.source.find('one', 'release')
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
  expect(Object.keys(TOLD)).toEqual(ways)
  expect(ways.length).toBeGreaterThan(90)
})
