import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const FOLDERS = ['activities', 'api', 'cli', 'core', 'services', 'store/migrations', 'workers']
/** `action: 'run.admitted'`, also as a type, in a condition or in SQL. */
const ACTION = /'?action'?(?::|,)[^\n]*?'([a-z_]+\.[a-z_]+)'(?:[^\n]*?: '([a-z_]+\.[a-z_]+)')?/g

test('every action that the code puts on record stands in the catalogue', () => {
  const sources = FOLDERS.flatMap((folder) =>
    readdirSync(`${ROOT}${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(ts|sql)$/.test(path))
      .map((path) => readFileSync(`${ROOT}${folder}/${path}`, 'utf8')),
  )
  const actions = new Set(
    sources.flatMap((text) => [...text.matchAll(ACTION)].flatMap(([, one, other]) => [one, other])),
  )
  actions.delete(undefined)
  expect(actions).toContain('run.admitted')
  expect(actions).toContain('config.changed')
  const catalogue = readFileSync(`${ROOT}docs/audit.md`, 'utf8')
  expect([...actions].filter((action) => !catalogue.includes(`\`${action}\``))).toEqual([])
})
