import { describe, expect, test } from 'vitest'
import { userMessage } from '#core/models/chat.ts'
import type { PricedModel } from '#core/models/model.ts'
import { answerLimit, worstCase } from '#core/models/worst-case.ts'

const modelOf = (limits: PricedModel['limits']): PricedModel => ({
  ...{ id: 'm', provider: 'openai_compatible', model: 'm', timeout_ms: 5_000, structured_outputs: true },
  ...{ prices: { input: 1_000_000, output: 4_000_000 }, limits },
})
const saying = (bytes: number, max_tokens?: number) => ({
  prompt: { messages: [userMessage('a'.repeat(bytes))], ...(max_tokens !== undefined && { max_tokens }) },
  bytes,
})

describe('the limit of an answer, which is what is reserved', () => {
  const model = modelOf({ context: 8_000, output: 1_000 })

  test('is what the caller names, and never more than the model can say', () => {
    expect(answerLimit(model, saying(100, 50))).toBe(50)
    expect(answerLimit(model, saying(100, 5_000))).toBe(1_000)
    // anyone who names one is told by the provider that it does not fit
    expect(answerLimit(model, saying(7_900, 5_000))).toBe(1_000)
  })

  test('is that of the model where the caller names none', () => {
    expect(answerLimit(model, saying(100))).toBe(1_000)
  })

  test.each([
    ['a long prompt', model, saying(7_500)],
    ['a model whose answer may fill its context', modelOf({ context: 8_000, output: 8_000 }), saying(2)],
  ])('is the context for %s, at the dearest price, where both together might not fit', (_what, asked, sent) => {
    expect(answerLimit(asked, sent)).toBeUndefined()
    // dollars per million tokens, so that tokens times dollars are micro-dollars
    expect(worstCase(asked, sent, undefined)).toBe(8_000 * 4)
  })
})
