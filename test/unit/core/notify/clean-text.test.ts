import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanBlock, oneLine } from '#core/notify/clean-text.ts'

const anyText = fc.string({ unit: 'binary', maxLength: 400 })
const sizes = fc.integer({ min: 1, max: 300 })
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/u

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

  it('takes away what turns the reading direction', () => {
    expect(oneLine('invoice\u202etxt.exe', 100)).toBe('invoicetxt.exe')
  })
})

describe('cleanBlock', () => {
  it('keeps lines and nothing else that is not seen', () => {
    fc.assert(
      fc.property(anyText, sizes, (text, max) => {
        const block = cleanBlock(text, max)
        expect(block.length).toBeLessThanOrEqual(max)
        expect(block.replaceAll('\n', '')).not.toMatch(INVISIBLE)
      }),
    )
    expect(cleanBlock('a\r\n\tb\u0007\rc', 100)).toBe('a\n  b\nc')
  })
})
