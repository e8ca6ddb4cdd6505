import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MOST_DEPTH, MOST_VALUES, parseJson } from '#core/parse-json.ts'

describe('JSON from outside', () => {
  it('is what it says, with blanks, escapes and signs of JSON within its strings', () => {
    const strings = fc.string({ unit: fc.constantFrom(...'ab,:[]{}"\\ \n\u2028é😀') })
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: 'binary' }),
        fc.dictionary(strings, strings),
        fc.nat(4),
        (one, two, indent) => {
          for (const value of [one, two]) {
            const text = JSON.stringify(value, null, indent)
            expect(parseJson(text)).toEqual(JSON.parse(text))
          }
        },
      ),
    )
  })

  it('is refused as JSON.parse refuses it', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'[]{},:"\\01 tn') }), (text) => {
        const outcome = (read: (text: string) => unknown) => {
          try {
            return { value: read(text) }
          } catch (error) {
            return { name: (error as Error).name }
          }
        }
        expect(outcome(parseJson)).toEqual(outcome(JSON.parse))
      }),
      { numRuns: 1_000 },
    )
  })

  it.each([
    ['nested lists', (n: number) => '['.repeat(n) + ']'.repeat(n), MOST_DEPTH],
    ['nested objects', (n: number) => `${'{"a":'.repeat(n - 1)}{}${'}'.repeat(n - 1)}`, MOST_DEPTH],
    ['a list of numbers', (n: number) => `[${Array(n - 1).fill(0)}]`, MOST_VALUES],
    ['a list of empty objects', (n: number) => `[${Array(n).fill('{}')}]`, MOST_VALUES / 2 - 1],
    [
      'an object of many keys',
      (n: number) => `{${Array.from({ length: n / 2 }, (_, at) => `"${at}":0`)}}`,
      MOST_VALUES - 1,
    ],
  ])('%s is read up to the limit, and no further', (_, text, most) => {
    expect(() => parseJson(text(most))).not.toThrow()
    expect(() => parseJson(text(most + 2))).toThrow(expect.objectContaining({ code: 'malformed_body' }))
  })

  it('is not parsed where five megabytes of it would be refused', () => {
    const bytes = 5 * 1_024 * 1_024
    for (const text of ['['.repeat(bytes), '{},'.repeat(bytes / 3), '"a":'.repeat(bytes / 4)])
      expect(() => parseJson(text)).toThrow(expect.objectContaining({ code: 'malformed_body' }))
  })
})
