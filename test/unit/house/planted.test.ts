import { describe, expect, test } from 'vitest'
import { check } from './law/check.ts'
import { HARMLESS } from './law/harmless.ts'
import { PLANTED } from './law/planted.ts'

const found = check([...PLANTED, ...HARMLESS])
const of = (path: string) => found.filter((message) => message.startsWith(`${path}:`))

describe('the law of the house finds', () => {
  test.each(PLANTED)('$title ($path)', ({ path, says }) => {
    expect(of(path).join('\n')).toMatch(says)
  })

  test('each of them in a file of its own', () => {
    expect(new Set(PLANTED.map(({ path }) => path)).size).toBe(PLANTED.length)
  })
})

describe('the law of the house lets pass', () => {
  test.each(HARMLESS)('$path', ({ path }) => {
    expect(of(path)).toEqual([])
  })
})

test('every message says what to do instead', () => {
  const unhelpful = found.filter((message) => !/^\S+:\d+ [^.]*\S.*\. [A-Z].{20,}\.$/.test(message))
  expect(unhelpful).toEqual([])
})
