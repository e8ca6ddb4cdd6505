import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PROBLEM_CODES } from '#api/problem.ts'
import { FAILURE_CODES } from '#core/run/failure-codes.ts'
import { readFolders } from '../house/sources.ts'

test('the page about failed runs says of every code what the code says', () => {
  const page = readFileSync(new URL('../../../docs/failures.md', import.meta.url), 'utf8')
  const documented = page.split('\n').filter((line) => line.startsWith('| `'))
  expect(documented).toEqual(Object.entries(FAILURE_CODES).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`))
})

test('every code that is listed for steps is one that something fails with', () => {
  const texts = readFolders(['core/policy', 'activities', 'platform', 'services', 'workers']).map(({ text }) => text)
  const refusals: readonly string[] = PROBLEM_CODES
  const unused = Object.keys(FAILURE_CODES).filter(
    (code) => !refusals.includes(code) && !texts.some((text) => text.includes(`'${code}'`)),
  )
  expect(unused).toEqual([])
})
