import type { MicroUsd } from '../money.ts'
import { type ChatPrompt, partsOf } from './chat.ts'
import type { PricedModel } from './model.ts'
import { priceOf } from './usage-cost.ts'

/** Overhead of a message, a tool or a whole prompt, with room to spare. */
const TOKENS_AROUND_A_PART = 32
const TOKENS_AROUND_A_PROMPT = 512

/** A measured request: its prompt, and the size of its body in bytes. */
export interface MeasuredPrompt {
  prompt: ChatPrompt
  bytes: number
}

/**
 * Returns the most that a call can cost with this limit of its answer. A token is at least a byte, so a request has at most as many tokens
 * as bytes; only the provider knows the tokens of a picture, a sound or a file, so a prompt with one counts as the model's whole context.
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

/** Returns the most that embedding `count` texts can cost: each text is cut at the model's limit. */
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
 * Returns the limit of the answer, as sent to the provider. Undefined where the caller has named none, and the model's own might not fit
 * into the context beside the prompt: providers refuse such a request.
 */
export function answerLimit(model: PricedModel, sent: MeasuredPrompt): number | undefined {
  const { context, output } = model.limits
  const { max_tokens } = sent.prompt
  if (max_tokens !== undefined) return Math.min(output, max_tokens)
  return mostInput(model, sent) + output > context ? undefined : output
}
