import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonLine, printable, printableLines } from '#cli/printable.ts'

const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u
const text = fc.string({ unit: 'binary' })

test('no control, format or separator character gets through, and nothing else changes', () => {
  fc.assert(
    fc.property(text, (given) => {
      const shown = printable(given)
      expect(shown).not.toMatch(UNSAFE)
      expect([...shown]).toEqual([...given].map((char) => (UNSAFE.test(char) ? '\ufffd' : char)))
    }),
  )
  expect(printable('a\u001b[2Jb\u202ec\u009bd')).toBe('a\ufffd[2Jb\ufffdc\ufffdd')
})

test('lines stay lines', () => {
  expect(printableLines('one\r\n\ttwo\n\u0007three\rfour')).toEqual(['one', '  two', '\ufffdthree', 'four'])
})

test('JSON for a terminal is harmless and loses nothing', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const line = jsonLine(value)
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
  expect(jsonLine('\u202e\u{e0041}')).toBe('"\\u202e\\udb40\\udc41"')
})
