import type { MicroUsd } from '../money.ts'
import { utf8Bytes } from '../utf8-bytes.ts'
import type { ChatPrompt } from './chat.ts'
import type { PricedModel } from './model.ts'
import { priceOf } from './usage-cost.ts'

/** What a provider adds to a message, a tool or a whole prompt, with room to spare. */
const TOKENS_AROUND_A_PART = 32
const TOKENS_AROUND_A_PROMPT = 512

/**
 * What a call can cost at most. No token is shorter than a byte, so that a prompt has no more of them than bytes; what a picture, a sound or
 * a file comes to is known to its provider alone, so that a prompt with one counts as all that the model can take.
 */
export function worstCase(model: PricedModel, prompt: ChatPrompt): MicroUsd {
  const { input, output, cached_input = input, cache_write = input } = model.prices
  const dearest = Math.max(input, cached_input, cache_write)
  const most = answerLimit(model, prompt)
  // then nothing but the context bounds both together
  if (most === undefined) return priceOf([[model.limits.context, Math.max(dearest, output)]])
  return priceOf([
    [mostInput(model, prompt), dearest],
    [most, output],
  ])
}

/** What vectors of these texts can cost at most: each text is cut where the model takes no more. */
export function worstCaseOfTexts({ prices, limits }: PricedModel, texts: readonly string[]): MicroUsd {
  const { input, cached_input = input, cache_write = input } = prices
  const most = (text: string) => Math.min(limits.context, utf8Bytes(text) + TOKENS_AROUND_A_PART)
  const tokens = texts.reduce((sum, text) => sum + most(text), TOKENS_AROUND_A_PROMPT)
  return priceOf([[tokens, Math.max(input, cached_input, cache_write)]])
}

function mostInput({ limits }: PricedModel, prompt: ChatPrompt): number {
  const opaque = prompt.messages.some(
    ({ role, content }) => role === 'user' && content.some(({ type }) => type !== 'text'),
  )
  if (opaque) return limits.context
  const parts = prompt.messages.length + (prompt.tools?.length ?? 0)
  const { messages, tools, response_format, stop } = prompt
  const bytes = utf8Bytes(JSON.stringify([messages, tools, response_format, stop]))
  return Math.min(limits.context, bytes + parts * TOKENS_AROUND_A_PART + TOKENS_AROUND_A_PROMPT)
}

/**
 * How many tokens it may answer, as its provider is told. Undefined where the caller has named no limit, and the model's own might not fit
 * into the context beside the prompt: providers refuse such a request.
 */
export function answerLimit(model: PricedModel, prompt: ChatPrompt): number | undefined {
  const { context, output } = model.limits
  if (prompt.max_tokens !== undefined) return Math.min(output, prompt.max_tokens)
  return mostInput(model, prompt) + output > context ? undefined : output
}
