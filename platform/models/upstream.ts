import type { ChatAnswer, ChatPiece, ChatPrompt } from '#core/models/chat.ts'
import type { PricedModel, ReachableModel } from '#core/models/model.ts'
import { createDeadline, type Deadline } from './deadline.ts'
import { AS_WRITTEN, createMeasuredFetch } from './measured-fetch.ts'
import { modelRequest } from './model-request.ts'
import { createOpenModels, type ModelAccess } from './open-model.ts'
import { type ChatRequest, prepareChat, prepareVectors, type VectorRequest } from './prepare-request.ts'
import { readAnswer, readPieces } from './read-answer.ts'
import { readVectors, type Vectors } from './read-vectors.ts'
import { toUpstreamError } from './to-upstream-error.ts'

/** Longest duration of a streamed answer, however active it is. */
const MAX_ANSWER_MS = 15 * 60_000

/** The providers of models. Each call is one request to one of them: nothing is repeated here, and nothing is sent that was not measured. */
export interface ModelUpstream {
  /** The model with its current endpoint. An unreachable one throws when a request to it is prepared. */
  reach(model: PricedModel): ReachableModel
  /** Throws `not_configured`, and `validation_failed` for a request that the provider cannot take. Nothing is sent. */
  prepare(model: ReachableModel, prompt: ChatPrompt, how: { stream: boolean }): Promise<ChatRequest>
  prepareVectors(model: ReachableModel, texts: string[]): Promise<VectorRequest>
  /** Throws `UpstreamError`, or `internal` where nothing was sent. */
  generate(request: ChatRequest, signal: AbortSignal): Promise<ChatAnswer>
  /** The same for streams. A reader that stops early aborts the request. */
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

    generate: ({ model, prompt, bytes }, signal) =>
      withDeadline(model, signal, async (deadline) => {
        const opened = await models.chat(model)
        const { options, body } = modelRequest(model, prompt, false)
        return readAnswer(
          model,
          await measured.send({ body, most_bytes: bytes, onBytes: deadline.putOff }, () =>
            opened.doGenerate({ ...options, abortSignal: deadline.signal }),
          ),
        )
      }),

    async *stream({ model, prompt, bytes }, signal) {
      const deadline = deadlineOf(model, signal)
      try {
        const opened = await models.chat(model)
        const { options, body } = modelRequest(model, prompt, true)
        const { stream } = await measured.send({ body, most_bytes: bytes, onBytes: deadline.putOff }, () =>
          opened.doStream({ ...options, abortSignal: deadline.signal }),
        )
        for await (const piece of readPieces(model, stream)) {
          deadline.hold()
          yield piece
          deadline.release()
        }
      } catch (error) {
        throw toUpstreamError(error, { signal: deadline.signal, secrets: secretsOf(model) })
      } finally {
        deadline.end()
      }
    },

    embed: ({ model, texts, bytes }, signal) =>
      withDeadline(model, signal, async (deadline) => {
        const opened = await models.embedding(model)
        return readVectors(
          model,
          await measured.send({ body: AS_WRITTEN, most_bytes: bytes, onBytes: deadline.putOff }, () =>
            opened.doEmbed({ values: texts, abortSignal: deadline.signal }),
          ),
          texts.length,
        )
      }),
  }
}

function deadlineOf({ timeout_ms }: ReachableModel, signal: AbortSignal): Deadline {
  return createDeadline(signal, { idle_ms: timeout_ms, most_ms: Math.max(timeout_ms, MAX_ANSWER_MS) })
}

async function withDeadline<T>(
  model: ReachableModel,
  signal: AbortSignal,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const deadline = deadlineOf(model, signal)
  try {
    return await work(deadline)
  } catch (error) {
    throw toUpstreamError(error, { signal: deadline.signal, secrets: secretsOf(model) })
  } finally {
    deadline.end()
  }
}

/** Returns the parts of the endpoint that must not appear in messages: its key, and secret parts of its address. */
function secretsOf({ endpoint }: ReachableModel): string[] {
  if ('problem' in endpoint) return []
  const { key = '', base_url } = endpoint
  const { search, searchParams, username, password } = URL.canParse(base_url) ? new URL(base_url) : NO_URL
  // shorter ones occur in any text
  const parts = [search, ...searchParams.values(), username, password].filter(({ length }) => length > 3)
  return key === '' ? parts : [key, ...parts]
}

const NO_URL = { search: '', searchParams: new URLSearchParams(), username: '', password: '' }
