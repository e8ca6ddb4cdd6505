import { DomainError } from '#core/errors.ts'
import type { ChatPrompt } from '#core/models/chat.ts'
import { type ReachableModel, speaksOpenAi } from '#core/models/model.ts'
import { answerLimit, worstCase, worstCaseOfTexts } from '#core/models/worst-case.ts'
import type { MicroUsd } from '#core/money.ts'
import { cutText } from '#core/text/text.ts'
import { AS_WRITTEN, type MeasuredFetch } from './measured-fetch.ts'
import { modelRequest } from './model-request.ts'
import type { OpenModels } from './open-model.ts'
import { refuseWarned } from './refuse-param.ts'

/** A measured request: its body has at most so many bytes, or it is not sent. */
interface MeasuredRequest {
  readonly model: ReachableModel
  readonly bytes: number
  /** its highest cost */
  readonly worst_case_micro_usd: MicroUsd
}

export interface ChatRequest extends MeasuredRequest {
  /** with the limit of the answer that the worst case counts on */
  readonly prompt: ChatPrompt
  readonly stream: boolean
}

export interface VectorRequest extends MeasuredRequest {
  readonly texts: string[]
}

interface Deps {
  models: OpenModels
  measured: Pick<MeasuredFetch, 'measure' | 'rehearse'>
}

interface Chat {
  model: ReachableModel
  prompt: ChatPrompt
  stream: boolean
}

/** An empty answer, in the formats of Anthropic and Google at once. */
const EMPTY_ANSWER = {
  type: 'message',
  id: 'none',
  model: 'none',
  role: 'assistant',
  content: [],
  stop_reason: 'end_turn',
  usage: { input_tokens: 0, output_tokens: 0 },
  candidates: [{ content: { role: 'model', parts: [] }, finishReason: 'STOP' }],
}

/**
 * Prepares a chat request. Without a limit, a provider would apply its own, which may exceed the reservation: the effective limit is always
 * sent.
 */
export async function prepareChat(deps: Deps, { model, prompt, stream }: Chat): Promise<ChatRequest> {
  const most = Math.min(model.limits.output, prompt.max_tokens ?? model.limits.output)
  const limited = { ...prompt, max_tokens: most }
  const bytes = await measureChat(deps, { model, prompt: limited, stream })
  if (answerLimit(model, { prompt, bytes }) !== undefined)
    return { model, prompt: limited, stream, bytes, worst_case_micro_usd: worstCase(model, { prompt, bytes }, most) }
  // the AI SDK may write a limit of its own
  const sent = await measureChat(deps, { model, prompt, stream })
  const worst_case_micro_usd = worstCase(model, { prompt, bytes: sent }, undefined)
  return { model, prompt, stream, bytes: sent, worst_case_micro_usd }
}

export async function prepareVectors(
  { models, measured }: Deps,
  { model, texts }: { model: ReachableModel; texts: string[] },
): Promise<VectorRequest> {
  const bytes = await sendable(model, async () => {
    const opened = await models.embedding(model)
    return await measured.measure(AS_WRITTEN, () => opened.doEmbed({ values: texts }))
  })
  return { model, texts, bytes, worst_case_micro_usd: worstCaseOfTexts(model, { count: texts.length, bytes }) }
}

function measureChat({ models, measured }: Deps, { model, prompt, stream }: Chat): Promise<number> {
  return sendable(model, async () => {
    const opened = await models.chat(model)
    const { options, body } = modelRequest(model, prompt, stream)
    // it reports dropped parameters with an answer only
    if (!speaksOpenAi(model))
      refuseWarned(model, (await measured.rehearse(EMPTY_ANSWER, () => opened.doGenerate(options))).warnings)
    return await measured.measure(body, () => (stream ? opened.doStream(options) : opened.doGenerate(options)))
  })
}

/** Reports what a provider's format cannot express before anything is reserved. */
async function sendable<T>({ provider }: ReachableModel, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof DomainError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new DomainError(
      'validation_failed',
      `the provider ${provider} cannot be sent this: ${cutText(why, 500)}`,
      {},
      { cause: error },
    )
  }
}
