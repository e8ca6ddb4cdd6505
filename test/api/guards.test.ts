import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Route } from '#api/define-route.ts'
import { routes } from '#api/registry.ts'
import { idFields, idsIn, idsNamedBy, NAMED_IDS } from '../support/ids-elsewhere.ts'
import { exampleOf, WITH_ROW } from '../support/operation-examples.ts'
import { familyOf, routeFile } from '../support/route-files.ts'
import { notShown } from '../support/shown-refusals.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const called = routes.filter(({ access }) => access !== 'callback')

const AUTHORED = 'test/api/authored/authored.test.ts'
const EACH_AUTHORED =
  'for (const { operations } of AUTHORED_FAMILIES) for (const operation of operations) itIsGuarded(operation)'

/** `test/api/<resource>/<operation>.test.ts`, where the resource is the folder of its route; the families share a table. */
function testOf({ operationId }: Route): string {
  if (familyOf(operationId) !== undefined) return AUTHORED
  const resource = routeFile(operationId).split('/')[2]
  const operation = operationId.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return `test/api/${resource}/${operation}.test.ts`
}

const textOf = (file: string) => (existsSync(`${ROOT}${file}`) ? readFileSync(`${ROOT}${file}`, 'utf8') : '')

test('every operation has a file of tests', () => {
  const missing = routes
    .filter((route) => !/\b(it|test|itIsGuarded)\b/.test(textOf(testOf(route))))
    .map((route) => `${route.operationId}: write ${testOf(route)}, beginning with itIsGuarded('${route.operationId}')`)
  expect(missing).toEqual([])
})

test('every operation but the callbacks, whose own signature decides, is guarded in its file', () => {
  const unguarded = called
    .map((route) => [testOf(route), testOf(route) === AUTHORED ? EACH_AUTHORED : `itIsGuarded('${route.operationId}')`])
    .filter(([file = '', call = '']) => !textOf(file).includes(call))
    .map(([file, call]) => `${file}: call ${call} from test/support/guarded-operation.ts`)
  expect(unguarded).toEqual([])
})

test('every refusal that an operation declares is shown in its file', () => {
  const unshown = routes.flatMap((route) =>
    notShown(route, textOf(testOf(route))).map((code) => `${route.operationId}: show ${code} in ${testOf(route)}`),
  )
  expect(unshown).toEqual([])
})

test('a refusal that no test names, or only a comment, is not shown', () => {
  const route = { problems: ['conflict', 'version_conflict'] as const }
  const shown = "expect(await codeOf(answer)).toEqual([409, 'conflict'])"
  expect(notShown(route, shown)).toEqual(['version_conflict'])
  expect(notShown(route, `// 'version_conflict', \n/* \`conflict\` */ test('there is a conflict', () => {})`)).toEqual([
    'conflict',
    'version_conflict',
  ])
})

test('every operation but the callbacks has an example, and nothing else has', () => {
  for (const { operationId } of called) expect(exampleOf(operationId).status).toBeLessThan(600)
  const ids = new Set(called.map(({ operationId }) => operationId))
  expect(WITH_ROW.filter((id) => !ids.has(id))).toEqual([])
})

test('every id in a path, a query or a body of an operation is asked for from elsewhere, or said to be of no workspace', () => {
  const guarded = called.filter(({ auth }) => auth !== 'public')
  expect(guarded.flatMap(({ operationId, path }) => refusalsOf(() => [idsIn(path), idsNamedBy(operationId)]))).toEqual(
    [],
  )
  const fields = new Set(
    guarded.flatMap(({ operationId }) => idFields(operationId).map((field) => `${operationId} ${field}`)),
  )
  expect(NAMED_IDS.filter((name) => !fields.has(name))).toEqual([])
})

test('an id that nobody has said how to ask for is a failure', () => {
  expect(() => idsIn('/secrets/{id}')).toThrow('ids-elsewhere.ts')
})

function refusalsOf(act: () => unknown): string[] {
  try {
    act()
    return []
  } catch (error) {
    return [String(error)]
  }
}
