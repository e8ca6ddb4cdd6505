import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonPointer, pointerParts, valueAt } from '#core/json/json.ts'

// section 5 of RFC 6901
const DOCUMENT = {
  foo: ['bar', 'baz'],
  '': 0,
  'a/b': 1,
  'c%d': 2,
  'e^f': 3,
  'g|h': 4,
  'i\\j': 5,
  'k"l': 6,
  ' ': 7,
  'm~n': 8,
}
const EXAMPLES: [pointer: string, value: unknown][] = [
  ['', DOCUMENT],
  ['/foo', ['bar', 'baz']],
  ['/foo/0', 'bar'],
  ['/', 0],
  ['/a~1b', 1],
  ['/c%d', 2],
  ['/e^f', 3],
  ['/g|h', 4],
  ['/i\\j', 5],
  ['/k"l', 6],
  ['/ ', 7],
  ['/m~0n', 8],
]

describe('a JSON Pointer', () => {
  it.each(EXAMPLES)('%j names what the standard says', (pointer, value) => {
    expect(valueAt(DOCUMENT, pointerParts(pointer))).toEqual(value)
    expect(jsonPointer(pointerParts(pointer))).toBe(pointer)
  })

  it('comes back from its text as it went in, no matter what its parts are called', () => {
    const part = fc.oneof(fc.string(), fc.stringMatching(/^[~/01]*$/))
    fc.assert(
      fc.property(fc.array(part), (path) => {
        expect(pointerParts(jsonPointer(path))).toEqual(path)
      }),
    )
  })

  it('finds own members alone', () => {
    expect(valueAt({}, ['constructor'])).toBeUndefined()
    expect(valueAt('text', ['length'])).toBeUndefined()
  })
})
