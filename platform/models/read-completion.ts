import { isObject, type Json, type JsonObject } from '#core/json/json.ts'
import type { ChatAnswer, ChatFinish, ChatPiece, ChatToolCall, ModelUsage } from '#core/models/chat.ts'
import { UpstreamError } from '#core/models/upstream-error.ts'
import { providerFailure } from './to-upstream-error.ts'

/** A whole answer in the format of OpenAI. A `finish_reason` that is missing is `stop`: all of it is here. */
export function readCompletion(raw: unknown, usage: ModelUsage | undefined): ChatAnswer {
  const choice = choiceOf(raw)
  const message = objectIn(choice, 'message')
  if (message === undefined) throw new UpstreamError('lost', 'the provider has answered without a message')
  const tool_calls = listIn(message, 'tool_calls').map((call, index): ChatToolCall => {
    const given = objectIn(call, 'function')
    const id = textIn(call, 'id') ?? `call_${index}`
    return { id, type: 'function', function: { name: nameOf(given), arguments: textIn(given, 'arguments') ?? '' } }
  })
  const refusal = textIn(message, 'refusal')
  const logprobs = objectIn(choice, 'logprobs')
  return {
    content: contentOf(message),
    ...(refusal !== undefined && { refusal }),
    tool_calls,
    ...(logprobs !== undefined && { logprobs }),
    finish: finishOf(textIn(choice, 'finish_reason'), tool_calls.length > 0),
    usage,
  }
}

/** Reads the chunks of one streamed answer in the format of OpenAI. */
export interface ChunkReader {
  /** throws a failure that the provider reports */
  read(chunk: unknown): ChatPiece[]
  /** Throws where the answer has not ended: then it was cut off. */
  end(usage: ModelUsage | undefined): ChatPiece
}

export function createChunkReader(): ChunkReader {
  /** our indexes of calls, by the provider's index */
  const calls = new Map<Json, { id: string | undefined; index?: number; text: string }>()
  let last: Json = 0
  let named = 0
  let finish: string | undefined

  function* callPieces(delta: JsonObject | undefined): Generator<ChatPiece> {
    for (const given of listIn(delta, 'tool_calls')) {
      // some providers send no index: an id then marks a new call
      last = given['index'] ?? given['id'] ?? last
      const call = calls.get(last) ?? { id: undefined, text: '' }
      calls.set(last, call)
      call.id ??= textIn(given, 'id')
      const name = textIn(objectIn(given, 'function'), 'name')
      call.text += textIn(objectIn(given, 'function'), 'arguments') ?? ''
      if (call.index === undefined && name) {
        call.index = named
        named += 1
        yield { type: 'tool_call', index: call.index, id: call.id ?? `call_${call.index}`, name }
      }
      // a name may come after the first arguments
      if (call.index === undefined || call.text === '') continue
      yield { type: 'tool_arguments', index: call.index, text: call.text }
      call.text = ''
    }
  }

  return {
    read(chunk) {
      const choice = choiceOf(chunk)
      const delta = objectIn(choice, 'delta')
      const logprobs = objectIn(choice, 'logprobs')
      finish = textIn(choice, 'finish_reason') ?? finish
      const text = contentOf(delta)
      const refusal = textIn(delta, 'refusal') ?? ''
      return [
        ...(text === '' && (logprobs === undefined || refusal !== '')
          ? []
          : [{ type: 'text' as const, text, ...(logprobs !== undefined && { logprobs }) }]),
        ...(refusal === ''
          ? []
          : [{ type: 'refusal' as const, text: refusal, ...(logprobs !== undefined && { logprobs }) }]),
        ...callPieces(delta),
      ]
    },
    end(usage) {
      if (finish === undefined) throw cutOff()
      return { type: 'end', finish: finishOf(finish, named > 0), usage }
    },
  }
}

export const cutOff = () =>
  new UpstreamError('lost', 'the answer was cut off: the provider has ended it without a finish_reason')

/** Returns the only choice; undefined in a chunk without one, such as the one with the usage. Throws an error in its place. */
function choiceOf(raw: unknown): JsonObject | undefined {
  if (!isObject(raw)) throw new UpstreamError('lost', 'the provider has answered with what is no JSON object')
  const failure = providerFailure(raw)
  if (failure !== undefined) throw failure
  const [choice] = listIn(raw, 'choices')
  return choice
}

function finishOf(given: string | undefined, called: boolean): ChatFinish {
  if (given === 'error') throw new UpstreamError('lost', 'the provider has failed in the middle of its answer')
  if (given === 'length' || given === 'content_filter') return given
  return given === 'tool_calls' || called ? 'tool_calls' : 'stop'
}

/** Some providers send content in parts; thoughts among them are not part of the format. */
function contentOf(message: JsonObject | undefined): string {
  const content = message?.['content']
  if (typeof content === 'string') return content
  return listIn(message, 'content')
    .map((part) => (part['type'] === 'text' ? (textIn(part, 'text') ?? '') : ''))
    .join('')
}

function nameOf(given: JsonObject | undefined): string {
  const name = textIn(given, 'name')
  if (!name) throw new UpstreamError('lost', 'the provider has called a tool without its name')
  return name
}

function textIn(record: JsonObject | undefined, name: string): string | undefined {
  const value = record?.[name]
  return typeof value === 'string' ? value : undefined
}

function objectIn(record: JsonObject | undefined, name: string): JsonObject | undefined {
  const value = record?.[name]
  return isObject(value) ? value : undefined
}

function listIn(record: JsonObject | undefined, name: string): JsonObject[] {
  const value = record?.[name]
  return Array.isArray(value) ? value.filter(isObject) : []
}
