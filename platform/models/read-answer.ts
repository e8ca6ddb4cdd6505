import type {
  LanguageModelV3FinishReason,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
} from '@ai-sdk/provider'
import type { ChatAnswer, ChatFinish, ChatPiece, ModelUsage } from '#core/models/chat.ts'
import { type Model, speaksOpenAi } from '#core/models/model.ts'
import { createChunkReader, cutOff, readCompletion } from './read-completion.ts'

/** Reads a whole answer of the AI SDK; in the format of OpenAI the provider's own. */
export function readAnswer(model: Model, result: LanguageModelV3GenerateResult): ChatAnswer {
  const { content, finishReason, usage } = result
  if (speaksOpenAi(model)) return readCompletion(result.response?.body, usageOf(usage))
  const calls = content.flatMap((part) =>
    part.type === 'tool-call'
      ? [{ id: part.toolCallId, type: 'function' as const, function: { name: part.toolName, arguments: part.input } }]
      : [],
  )
  return {
    content: content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    tool_calls: calls,
    finish: finishOf(finishReason, calls.length > 0),
    usage: usageOf(usage),
  }
}

/** Reads the pieces of a streamed answer. Throws a failure that the provider reports on the way. */
export function readPieces(model: Model, parts: ReadableStream<LanguageModelV3StreamPart>): AsyncGenerator<ChatPiece> {
  return speaksOpenAi(model) ? readChunks(parts) : readParts(parts)
}

/** Reads the raw chunks: the AI SDK's own reading of them, and its complaints, are ignored. */
async function* readChunks(parts: ReadableStream<LanguageModelV3StreamPart>): AsyncGenerator<ChatPiece> {
  const reader = createChunkReader()
  for await (const part of parts) {
    if (part.type === 'raw') yield* reader.read(part.rawValue)
    if (part.type === 'finish') yield reader.end(usageOf(part.usage))
  }
}

async function* readParts(parts: ReadableStream<LanguageModelV3StreamPart>): AsyncGenerator<ChatPiece> {
  const calls = new Map<string, { index: number; sent: boolean }>()
  const begin = (id: string, name: string): ChatPiece => {
    const index = calls.size
    calls.set(id, { index, sent: false })
    return { type: 'tool_call', index, id, name }
  }
  for await (const part of parts) {
    if (part.type === 'error') throw part.error
    if (part.type === 'text-delta') yield { type: 'text', text: part.delta }
    if (part.type === 'tool-input-start') yield begin(part.id, part.toolName)
    if (part.type === 'tool-input-delta') {
      const call = calls.get(part.id)
      if (call === undefined) continue
      call.sent = true
      yield { type: 'tool_arguments', index: call.index, text: part.delta }
    }
    // a provider may also send a call whole, without its pieces before it
    if (part.type === 'tool-call') {
      if (!calls.has(part.toolCallId)) yield begin(part.toolCallId, part.toolName)
      const call = calls.get(part.toolCallId)
      if (call !== undefined && !call.sent) yield { type: 'tool_arguments', index: call.index, text: part.input }
    }
    if (part.type === 'finish' && part.finishReason.raw === undefined) throw cutOff()
    if (part.type === 'finish')
      yield { type: 'end', finish: finishOf(part.finishReason, calls.size > 0), usage: usageOf(part.usage) }
  }
}

function finishOf({ unified }: LanguageModelV3FinishReason, called: boolean): ChatFinish {
  if (unified === 'length') return 'length'
  if (unified === 'content-filter') return 'content_filter'
  return unified === 'tool-calls' || called ? 'tool_calls' : 'stop'
}

/** Undefined where input or output is missing: unknown is not zero. */
function usageOf({ inputTokens, outputTokens }: LanguageModelV3Usage): ModelUsage | undefined {
  if (inputTokens.total === undefined || outputTokens.total === undefined) return undefined
  return {
    input: inputTokens.total,
    output: outputTokens.total,
    cached: inputTokens.cacheRead ?? 0,
    cache_write: inputTokens.cacheWrite ?? 0,
    reasoning: outputTokens.reasoning ?? 0,
  }
}
