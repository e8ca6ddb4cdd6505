import { expect, test } from 'vitest'
import { shownResult } from '#core/ask/limits.ts'

test('a result is canonical, without what is not there, and nothing in it is invisible', () => {
  expect(shownResult({ b: 1, a: null, c: undefined, d: 'x\u202ey' }, 100)).toBe('{"b":1,"d":"x\\\\u{202e}y"}')
})

test('a long result is cut, and says so', () => {
  expect(JSON.parse(shownResult({ text: 'x'.repeat(1_000) }, 2_000)).text).toBe(`${'x'.repeat(500)}… (cut)`)
  expect(JSON.parse(shownResult({ text: 'x'.repeat(1_000) }, 2_000, 1_000)).text).toBe('x'.repeat(1_000))
  expect(JSON.parse(shownResult({ list: Array.from({ length: 100 }, (_, n) => n) }, 2_000)).list).toHaveLength(40)
  const long = JSON.parse(shownResult({ list: Array.from({ length: 40 }, () => 'x'.repeat(400)) }, 2_000))
  expect(long).toEqual({ cut: true, excerpt: expect.stringMatching(/^\{"list":/) })
  const deep = Array.from({ length: 60 }).reduce<unknown>((inner) => ({ inner }), 'end')
  expect(shownResult(deep, 2_000)).toContain('… (cut)')
})
