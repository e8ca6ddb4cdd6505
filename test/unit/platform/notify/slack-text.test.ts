import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { slackText } from '#core/text/slack-text.ts'
import { slackCode } from '#platform/notify/slack-blocks.ts'

const markup = fc.string({
  unit: fc.constantFrom('<', '>', '&', '!', '@', '`', '*', '\n', 'a', '😀', 'channel'),
  maxLength: 300,
})

describe('slackText', () => {
  it('leaves no control character, no half entity and no more than it may', () => {
    fc.assert(
      fc.property(markup, fc.integer({ min: 1, max: 200 }), (text, max) => {
        const escaped = slackText(text, max)
        expect(escaped.length).toBeLessThanOrEqual(max)
        expect(escaped.replace(/&(amp|lt|gt);/g, '')).not.toMatch(/[<>&]/)
        expect(escaped.isWellFormed()).toBe(true)
      }),
    )
  })

  it('reads as it was written', () => {
    fc.assert(
      fc.property(markup, (text) => {
        const shown = slackText(text, 10_000).replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
        expect(shown).toBe(text)
      }),
    )
  })
})

describe('slackCode', () => {
  it('cannot be closed from inside', () => {
    fc.assert(
      fc.property(markup, fc.integer({ min: 20, max: 200 }), (text, max) => {
        const block = slackCode(text, max)
        expect(block.length).toBeLessThanOrEqual(max)
        expect(block.match(/```/g)).toHaveLength(2)
        expect(block).toMatch(/^```\n[\s\S]*\n```$/)
      }),
    )
  })

  it('says where it was cut, also when only the entities made it too long', () => {
    expect(slackCode('&'.repeat(50), 100)).toMatch(/… \(cut\)\n```$/)
    expect(slackCode('&'.repeat(10), 100)).not.toContain('(cut)')
  })
})
