import type { ChatAnswer, ChatPiece, ChatPrompt } from '#core/models/chat.ts'
import type { PricedModel, ReachableModel } from '#core/models/model.ts'
import type { Vectors } from '#core/models/vectors.ts'
import type { MicroUsd } from '#core/money.ts'
import { createDeadline } from './deadline.ts'
import { createMeasuredFetch } from './measured-fetch.ts'
import { createOpenModels, type ModelAccess } from './open-model.ts'
import { prepareChat, prepareVectors } from './prepare-request.ts'
import { readAnswer, readPieces } from './read-answer.ts'
import { readVectors } from './read-vectors.ts'
import { toCallOptions } from './to-call-options.ts'
import { toUpstreamError } from './to-upstream-error.ts'
import { createToolArguments } from './tool-arguments.ts'

/** Longest life of a streamed answer, however lively it is. */
const MOST_STREAM_MS = 15 * 60_000

/** A request as it will be sent, measured: its body has at most so many bytes, or it is not sent. */
interface MeasuredRequest {
  readonly model: ReachableModel
  readonly bytes: number
  /** what it can cost at most */
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

/** The providers of models. Each call is one request to one of them: nothing is repeated here, and nothing is sent that was not measured. */
export interface ModelUpstream {
  /** The model with where it is asked now. One that cannot be asked says so when a request to it is prepared. */
  reach(model: PricedModel): ReachableModel
  /** Throws `not_configured`, and `validation_failed` for what the provider cannot be sent. Nothing is sent. */
  prepare(model: ReachableModel, prompt: ChatPrompt, how: { stream: boolean }): Promise<ChatRequest>
  prepareVectors(model: ReachableModel, texts: string[]): Promise<VectorRequest>
  /** Throws `UpstreamError`, or `internal` where nothing was sent. */
  generate(request: ChatRequest, signal: AbortSignal): Promise<ChatAnswer>
  /** The same while the pieces are read. Whoever stops reading ends the request. */
  stream(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatPiece>
  /** One vector for each text, all of one length. Throws as `generate` does. */
  embed(request: VectorRequest, signal: AbortSignal): Promise<Vectors>
}

/** Providers through the AI SDK. */
export function createModelUpstream(access: ModelAccess): ModelUpstream {
  const measured = createMeasuredFetch(access.fetch)
  const models = createOpenModels({ ...access, fetch: measured.fetch })
  return {
    reach: models.reach,
    prepare: (model, prompt, { stream }) => prepareChat({ models, measured }, { model, prompt, stream }),
    prepareVectors: (model, texts) => prepareVectors({ models, measured }, { model, texts }),

    async generate({ model, prompt, bytes }, signal) {
      const deadline = createDeadline(signal, { idle_ms: model.timeout_ms })
      try {
        const opened = await models.chat(model)
        const args = createToolArguments()
        const options = { ...toCallOptions(prompt, args), abortSignal: deadline.signal }
        const sent = { arguments: args, most_bytes: bytes }
        return readAnswer(await measured.send(sent, () => opened.doGenerate(options)))
      } catch (error) {
        throw toUpstreamError(error, { signal: deadline.signal, key: keyOf(model) })
      } finally {
        deadline.end()
      }
    },

    async *stream({ model, prompt, bytes }, signal) {
      const deadline = createDeadline(signal, { idle_ms: model.timeout_ms, most_ms: MOST_STREAM_MS })
      try {
        const opened = await models.chat(model)
        const args = createToolArguments()
        const options = { ...toCallOptions(prompt, args), abortSignal: deadline.signal }
        const sent = { arguments: args, most_bytes: bytes }
        const { stream } = await measured.send(sent, () => opened.doStream(options))
        for await (const piece of readPieces(stream)) {
          deadline.hold()
          yield piece
          deadline.putOff()
        }
      } catch (error) {
        throw toUpstreamError(error, { signal: deadline.signal, key: keyOf(model) })
      } finally {
        deadline.end()
      }
    },

    async embed({ model, texts, bytes }, signal) {
      const deadline = createDeadline(signal, { idle_ms: model.timeout_ms })
      try {
        const opened = await models.embedding(model)
        const options = { values: texts, abortSignal: deadline.signal }
        const sent = { arguments: createToolArguments(), most_bytes: bytes }
        return readVectors(await measured.send(sent, () => opened.doEmbed(options)), texts.length)
      } catch (error) {
        throw toUpstreamError(error, { signal: deadline.signal, key: keyOf(model) })
      } finally {
        deadline.end()
      }
    },
  }
}

function keyOf({ endpoint }: ReachableModel): string | undefined {
  return 'problem' in endpoint ? undefined : endpoint.key
}
