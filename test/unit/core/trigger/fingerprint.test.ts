import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fingerprintOf } from '#core/trigger/fingerprint.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const of = (source: string, service: string, symptom: string) => fingerprintOf({ source, service, symptom }, sha256)

const part = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('|', '%', '2', '5', '7', 'c', ' ', 'É') }),
)
const parts = fc.tuple(part, part, part)
const plain = (text: string) => text.normalize('NFC').trim().toLowerCase().normalize('NFC')

describe('fingerprint', () => {
  test.each([
    [['alertmanager', 'checkout', 'HighErrorRate'], 'alertmanager|checkout|higherrorrate'],
    [[' Alertmanager ', '\tCheckout\n', 'highERRORrate'], 'alertmanager|checkout|higherrorrate'],
    [['a|b', 'c', 'd'], 'a%7Cb|c|d'],
    [['a', 'b|c', 'd'], 'a|b%7Cc|d'],
    [['a', '100%', 'b%7C'], 'a|100%25|b%257c'],
    [['a', 'cafe\u0301', 'x'], 'a|caf\u00e9|x'],
    [['', '', ''], '||'],
  ] as const)('%j is %s', ([source, service, symptom], text) => {
    expect(of(source, service, symptom)).toBe(text)
  })

  test('two alerts share one exactly when all their parts are the same text', () => {
    fc.assert(
      fc.property(parts, parts, (a, b) => {
        const same = a.every((text, index) => plain(text) === plain(b[index] ?? ''))
        expect(of(...a) === of(...b)).toBe(same)
      }),
      { numRuns: 2_000 },
    )
  })

  test('it always has two separators, so that its parts can be read back', () => {
    fc.assert(
      fc.property(parts, (each) => {
        const read = of(...each)
          .split('|')
          .map((text) => text.replaceAll('%7C', '|').replaceAll('%25', '%'))
        expect(read).toEqual(each.map(plain))
      }),
    )
  })

  test('neither case, nor white space around a part, nor the form of an accent matters', () => {
    const ascii = fc.string({ unit: 'binary-ascii' })
    const blank = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\u00a0') })
    fc.assert(
      fc.property(ascii, ascii, ascii, blank, blank, (a, b, c, before, after) => {
        const loud = [a, b, c].map((text) => before + text.toUpperCase() + after) as [string, string, string]
        expect(of(...loud)).toBe(of(a, b, c))
      }),
    )
    fc.assert(
      fc.property(parts, ([a, b, c]) => {
        expect(of(a.normalize('NFD'), b, c)).toBe(of(a, b, c))
      }),
    )
  })

  test('a long one stays short enough for an index, different from every other, and from every short one', () => {
    const long = (end: string) => of('alertmanager', 'x'.repeat(100_000), end)
    expect(long('a')).not.toBe(long('b'))
    expect(long('A')).toBe(long('a'))
    expect(long('a')).toMatch(/^alertmanager\|x+%sha256:[0-9a-f]{64}$/)
    expect(new TextEncoder().encode(of('😀'.repeat(400), 'é'.repeat(400), '')).byteLength).toBeLessThan(2_000)
    fc.assert(
      fc.property(parts, (each) => {
        expect(of(...each)).not.toContain('%s')
      }),
    )
  })
})
