import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { check } from './law/check.ts'
import { DEFINED_ONCE } from './law/choke-points.ts'
import { FOLDERS } from './law/folders.ts'
import { unusedPlaces } from './law/places.ts'
import { definitionsOf } from './law/rule-definitions.ts'
import { parse, readFolders } from './law/sources.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const tree = readFolders(Object.keys(FOLDERS))
const found = check(tree)

describe('the law of the house', () => {
  test('holds in every file: layers, packages, surroundings, clients, choke points, tables', () => {
    expect(found).toEqual([])
  })

  test('grants nothing that nobody needs', () => {
    expect(unusedPlaces()).toEqual([])
  })

  test('knows where each choke point is', () => {
    const homes = definitionsOf(parse(tree.filter(({ path }) => DEFINED_IN.test(path))))
    expect(homes.sort()).toEqual([
      'admitRun in services/runs/admit-run.ts',
      'appendAudit in store/runs.ts',
      'appendEvents in store/runs.ts',
      'decideGate in services/approvals/decide-gate.ts',
      'defineRoute in api/define-route.ts',
      'executeStep in activities/execute-step.ts',
    ])
    expect(Object.keys(DEFINED_ONCE).sort()).toEqual(homes.map((home) => home.split(' ')[0]))
  })

  test('covers every folder of code that there is', () => {
    const manifest: unknown = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const { imports } = manifest as { imports: Record<string, string> }
    const folders = Object.keys(imports).map((name) => name.slice(1, -2))
    expect(folders.filter((folder) => folder !== 'test' && FOLDERS[folder] === undefined)).toEqual([])
  })
})

const DEFINED_IN =
  /^(services\/(runs\/admit-run|approvals\/decide-gate)|store\/runs|api\/define-route|activities\/execute-step)\.ts$/

describe('files', () => {
  test('a file fits on a screen or two', () => {
    const long = tree
      .filter(({ path, text }) => !/\.(sql|generated\.ts)$/.test(path) && text.split('\n').length > 350)
      .map(({ path }) => path)
    expect(long).toEqual([])
  })
})
