import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanBlock, oneLine } from '#core/notify/alert-facts.ts'

const anyText = fc.string({ unit: 'binary', maxLength: 400 })
const sizes = fc.integer({ min: 1, max: 300 })
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u

describe('oneLine', () => {
  it('never has more than one line, hidden characters or more than it may', () => {
    fc.assert(
      fc.property(anyText, sizes, (text, max) => {
        const line = oneLine(text, max)
        expect(line.length).toBeLessThanOrEqual(max)
        expect(line).not.toMatch(INVISIBLE)
      }),
    )
  })

  it('leaves ordinary text as it is', () => {
    expect(oneLine('Zażółć gęślą jaźń, 10 % → 20 %', 100)).toBe('Zażółć gęślą jaźń, 10 % → 20 %')
  })

  it('shortens between characters', () => {
    expect(oneLine('aa😀bb', 4)).toBe('aa…')
    expect(oneLine('aa😀bb', 5)).toBe('aa😀…')
  })

  it('shows what turns the reading direction, and what has no width', () => {
    expect(oneLine('invoice\u202etxt.exe', 100)).toBe('invoice\\u{202e}txt.exe')
    expect(oneLine('re\u200bstart \u{e0041}', 100)).toBe('re\\u{200b}start \\u{e0041}')
  })

  it('never cuts an escape', () => {
    for (const max of [7, 8, 12, 14]) expect(oneLine('invoice\u202etxt', max)).not.toMatch(/\\u?\{?[0-9a-f]*…$/)
  })
})

describe('cleanBlock', () => {
  it('keeps lines and nothing else that is not seen', () => {
    fc.assert(
      fc.property(anyText, sizes, (text, max) => {
        const block = cleanBlock(text, max)
        expect(block.length).toBeLessThanOrEqual(max)
        expect(block.replace(/[\n\t]/g, '')).not.toMatch(INVISIBLE)
      }),
    )
    expect(cleanBlock('a\r\n\tb\u0007 ', 100)).toBe('a\\u{d}\n\tb\\u{7} ')
  })

  it('says that it was cut, and how much there is', () => {
    const block = cleanBlock('x'.repeat(5_000), 100)
    expect(block).toMatch(/^x{60,}… \(cut: 5000 characters in all\)$/)
  })
})
