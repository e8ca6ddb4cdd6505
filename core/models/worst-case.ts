import type { MicroUsd } from '../money.ts'
import { type ChatPrompt, partsOf } from './chat.ts'
import type { PricedModel } from './model.ts'
import { priceOf } from './usage-cost.ts'

/** What a provider adds to a message, a tool or a whole prompt, with room to spare. */
const TOKENS_AROUND_A_PART = 32
const TOKENS_AROUND_A_PROMPT = 512

/** A request as it is sent to a provider: what it asks, and how many bytes its body has. */
export interface MeasuredPrompt {
  prompt: ChatPrompt
  bytes: number
}

/**
 * What a call can cost at most, with this limit of its answer. No token is shorter than a byte, so that a request has no more of them than
 * bytes; what a picture, a sound or a file comes to is known to its provider alone, so that a prompt with one counts as all that the model
 * can take.
 */
export function worstCase(model: PricedModel, sent: MeasuredPrompt, limit: number | undefined): MicroUsd {
  const { input, output, cached_input = input, cache_write = input } = model.prices
  const dearest = Math.max(input, cached_input, cache_write)
  // then nothing but the context bounds both together
  if (limit === undefined) return priceOf([[model.limits.context, Math.max(dearest, output)]])
  return priceOf([
    [mostInput(model, sent), dearest],
    [limit, output],
  ])
}

/** What vectors of `count` texts can cost at most: each text is cut where the model takes no more. */
export function worstCaseOfTexts(
  { prices, limits }: PricedModel,
  { count, bytes }: { count: number; bytes: number },
): MicroUsd {
  const { input, cached_input = input, cache_write = input } = prices
  const tokens = Math.min(limits.context * count, bytes + count * TOKENS_AROUND_A_PART + TOKENS_AROUND_A_PROMPT)
  return priceOf([[tokens, Math.max(input, cached_input, cache_write)]])
}

function mostInput({ limits }: PricedModel, { prompt, bytes }: MeasuredPrompt): number {
  const opaque = prompt.messages.some(
    ({ role, content }) => role === 'user' && partsOf(content).some(({ type }) => type !== 'text'),
  )
  if (opaque) return limits.context
  const parts = prompt.messages.length + (prompt.tools?.length ?? 0)
  return Math.min(limits.context, bytes + parts * TOKENS_AROUND_A_PART + TOKENS_AROUND_A_PROMPT)
}

/**
 * How many tokens it may answer, as its provider is told. Undefined where the caller has named no limit, and the model's own might not fit
 * into the context beside the prompt: providers refuse such a request.
 */
export function answerLimit(model: PricedModel, sent: MeasuredPrompt): number | undefined {
  const { context, output } = model.limits
  const { max_tokens } = sent.prompt
  if (max_tokens !== undefined) return Math.min(output, max_tokens)
  return mostInput(model, sent) + output > context ? undefined : output
}
