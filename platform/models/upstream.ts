import type { ChatAnswer, ChatPiece, ChatPrompt } from '#core/models/chat.ts'
import type { Model } from '#core/models/model.ts'
import type { Vectors } from '#core/models/vectors.ts'
import { createDeadline } from './deadline.ts'
import { modelEndpoint } from './model-endpoint.ts'
import { createOpenModels, type ModelAccess } from './open-model.ts'
import { readAnswer, readPieces } from './read-answer.ts'
import { readVectors } from './read-vectors.ts'
import { toCallOptions } from './to-call-options.ts'
import { toUpstreamError } from './to-upstream-error.ts'

/** Longest life of a streamed answer, however lively it is. */
const MOST_STREAM_MS = 15 * 60_000

/** The providers of models. Each call is one request to one of them: nothing is repeated here. */
export interface ModelUpstream {
  /** Throws `UpstreamError`, or `not_configured` and `validation_failed` where nothing was sent. */
  generate(model: Model, prompt: ChatPrompt, signal: AbortSignal): Promise<ChatAnswer>
  /** The same while the pieces are read. Whoever stops reading ends the request. */
  stream(model: Model, prompt: ChatPrompt, signal: AbortSignal): AsyncGenerator<ChatPiece>
  /** One vector for each text, all of one length. Throws as `generate` does. */
  embed(model: Model, texts: string[], signal: AbortSignal): Promise<Vectors>
}

/** Providers through the AI SDK. */
export function createModelUpstream(access: ModelAccess): ModelUpstream {
  const models = createOpenModels(access)
  return {
    async generate(model, prompt, signal) {
      const deadline = createDeadline(signal, { idle_ms: model.timeout_ms })
      try {
        const opened = await models.chat(model)
        return readAnswer(await opened.doGenerate({ ...toCallOptions(prompt), abortSignal: deadline.signal }))
      } catch (error) {
        throw toUpstreamError(error, { signal: deadline.signal, key: keyOf(model, access) })
      } finally {
        deadline.end()
      }
    },

    async *stream(model, prompt, signal) {
      const deadline = createDeadline(signal, { idle_ms: model.timeout_ms, most_ms: MOST_STREAM_MS })
      try {
        const opened = await models.chat(model)
        const { stream } = await opened.doStream({ ...toCallOptions(prompt), abortSignal: deadline.signal })
        for await (const piece of readPieces(stream)) {
          deadline.hold()
          yield piece
          deadline.putOff()
        }
      } catch (error) {
        throw toUpstreamError(error, { signal: deadline.signal, key: keyOf(model, access) })
      } finally {
        deadline.end()
      }
    },

    async embed(model, texts, signal) {
      const deadline = createDeadline(signal, { idle_ms: model.timeout_ms })
      try {
        const opened = await models.embedding(model)
        return readVectors(await opened.doEmbed({ values: texts, abortSignal: deadline.signal }), texts.length)
      } catch (error) {
        throw toUpstreamError(error, { signal: deadline.signal, key: keyOf(model, access) })
      } finally {
        deadline.end()
      }
    },
  }
}

/** What the model is asked with; whatever is wrong with the reference was said before. */
function keyOf(model: Model, access: ModelAccess): string | undefined {
  try {
    return modelEndpoint(model, access).apiKey
  } catch {
    return undefined
  }
}
