import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { codeIn, codeLines, FOLDERS, PAGES, ROOT } from './pages.ts'

/** History: it names what was there then. */
const current = PAGES.filter((page) => page !== 'CHANGELOG.md')
/** The data directory has a folder of policies too, and examples name files in it. */
const folders = FOLDERS.filter((folder) => folder !== 'policies')
const PATH = new RegExp(`^(?:${folders.join('|')})/[\\w./-]*\\w/?$`)

/** Written by running something; a fresh clone has none. */
const WRITTEN = ['bench/results']

/** Also a module that is named without its ending, as in a sentence about `core/run/status`. */
function isThere(path: string): boolean {
  if (WRITTEN.includes(path.replace(/\/$/, ''))) return true
  return ['', '.ts', '.md'].some((ending) => existsSync(join(ROOT, `${path.replace(/\/$/, '')}${ending}`)))
}

test.each(current)('every path of the repository that %s names is there', (page) => {
  const words = [...codeIn(page), ...codeLines(page).flatMap((line) => line.split(/[\s'"`|.,;:]*[\s'"`|]+/))]
  const named = words.filter((word) => PATH.test(word))
  expect(named.filter((path) => !isThere(path))).toEqual([])
})

test('the pages name paths', () => {
  expect(current.flatMap(codeIn).filter((word) => PATH.test(word)).length).toBeGreaterThan(30)
})
