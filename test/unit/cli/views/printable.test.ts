import fc from 'fast-check'
import { expect, test } from 'vitest'
import { printable, printableLines } from '#cli/views/format.ts'
import { visibleJson } from '#core/text/visible-text.ts'

const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\u2800\ufffc]/u
const escaped = (char: string) => `\\u{${char.codePointAt(0)?.toString(16)}}`
const text = fc.string({ unit: 'binary' })

test('every control, format or separator character is shown as its escape, and nothing else changes', () => {
  fc.assert(
    fc.property(text, (given) => {
      const shown = printable(given)
      expect(shown).not.toMatch(UNSAFE)
      expect(shown).toBe([...given].map((char) => (UNSAFE.test(char) ? escaped(char) : char)).join(''))
    }),
  )
  expect(printable('a\u001b[2Jb\u202ec\u009bd')).toBe('a\\u{1b}[2Jb\\u{202e}c\\u{9b}d')
})

test('lines stay lines', () => {
  expect(printableLines('one\r\n\ttwo\n\u0007three\rfour')).toEqual(['one', '  two', '\\u{7}three\\u{d}four'])
})

test('JSON for a terminal is harmless and loses nothing', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const line = visibleJson(value)
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
  expect(visibleJson('\u202e\u{e0041}')).toBe('"\\u202e\\udb40\\udc41"')
})
