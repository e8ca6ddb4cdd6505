import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChatPrompt } from '#core/models/chat.ts'
import type { PricedModel } from '#core/models/model.ts'
import { usageCost } from '#core/models/usage-cost.ts'
import { answerLimit, worstCase } from '#core/models/worst-case.ts'

const MODEL: PricedModel = {
  ...{ id: 'm', provider: 'openai', model: 'm', timeout_ms: 1_000, structured_outputs: true },
  prices: { input: 150_000, output: 600_000, cached_input: 75_000 },
  limits: { context: 128_000, output: 16_000 },
}
const say = (text: string, more: Partial<ChatPrompt> = {}): ChatPrompt => ({
  messages: [{ role: 'user', content: [{ type: 'text', text }] }],
  ...more,
})
/** What is sent of a prompt has at least the bytes of its texts. */
function worst(model: PricedModel, prompt: ChatPrompt, bytes = 4) {
  const sent = { prompt, bytes }
  return worstCase(model, sent, answerLimit(model, sent))
}
const usage = (changes = {}) => ({ input: 1_000, output: 500, cached: 0, cache_write: 0, reasoning: 0, ...changes })

describe('the worst case of a call', () => {
  test('covers every usage that the prompt and its limit allow', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 400 }),
        fc.integer({ min: 1, max: 30_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (text, max_tokens, part) => {
          const bytes = Buffer.byteLength(text.toWellFormed())
          const input = Math.max(1, bytes)
          const output = Math.min(max_tokens, MODEL.limits.output)
          const reported = usage({ input, output, cached: Math.floor(input * part) })
          expect(usageCost(MODEL.prices, reported, true)).toBeLessThanOrEqual(
            worst(MODEL, say(text, { max_tokens }), bytes),
          )
        },
      ),
    )
  })

  test('is that of the whole context where there is a picture, and of the whole output where no limit is asked for', () => {
    const picture: ChatPrompt = {
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://pictures.test/a.png' } }] }],
      max_tokens: 1,
    }
    expect(worst(MODEL, picture)).toBe(19_201)
    expect(worst(MODEL, say('')) - worst(MODEL, say('', { max_tokens: 1 }))).toBe(9_600)
  })

  test('counts a cache at its dearest', () => {
    const dear = { ...MODEL, prices: { ...MODEL.prices, cache_write: 300_000 } }
    expect(worst(dear, say('x', { max_tokens: 1 }))).toBeGreaterThan(worst(MODEL, say('x', { max_tokens: 1 })))
  })
})

describe('what is reported', () => {
  test('is priced exactly and rounded up once', () => {
    expect(usageCost(MODEL.prices, usage(), true)).toBe(450)
    expect(usageCost(MODEL.prices, usage({ cached: 1_000 }), true)).toBe(375)
    expect(usageCost(MODEL.prices, usage({ input: 1, output: 1 }), true)).toBe(1)
    expect(usageCost({ input: 9_999_999_999, output: 0 }, usage({ input: 999_999_999, output: 1 }), true)).toBe(
      9_999_999_989_001,
    )
  })

  test.each([
    ['nothing', undefined],
    ['a negative number', usage({ input: -1 })],
    ['a fraction', usage({ output: 1.5 })],
    ['no number', usage({ output: Number.NaN })],
    ['an absurd number', usage({ output: 1e12 })],
    ['more of it cached than there was', usage({ cached: 1_001 })],
    ['nothing received', usage({ input: 0 })],
    ['an answer of no tokens', usage({ output: 0 })],
  ])('is not believed when it is %s', (_what, reported) => {
    expect(usageCost(MODEL.prices, reported, true)).toBeUndefined()
  })

  test('may be no tokens where nothing was said', () => {
    expect(usageCost(MODEL.prices, usage({ output: 0 }), false)).toBe(150)
  })
})
