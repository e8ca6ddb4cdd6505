import { AsyncLocalStorage } from 'node:async_hooks'
import { DomainError } from '#core/errors.ts'
import { UpstreamError } from '#core/models/upstream-error.ts'
import { utf8Bytes } from '#core/text/text.ts'
import type { EgressClient } from '../egress/egress-client.ts'
import { DEPLOYMENT_NETWORK } from '../notify/channel-settings.ts'

/** Longest answer in bytes; the largest models send some 50 MiB for their highest number of tokens. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024

/** The way from the AI SDK's body of a request to the one that is sent. */
export interface RequestBody {
  fill(body: string): string
}

export const AS_WRITTEN: RequestBody = { fill: (body) => body }

interface Call {
  body: RequestBody
  /** the measured and reserved size; undefined while it is being measured */
  most_bytes: number | undefined
  /** answered in the place of the provider: nothing is sent */
  rehearsed?: object
  onBytes?: () => void
  requests: number
}

/** Thrown in the place of sending. */
class Measured extends Error {
  readonly bytes: number

  constructor(bytes: number) {
    super('a request was measured, and not sent')
    this.bytes = bytes
  }
}

/** One path for measuring and for sending, so that both have the same bytes. */
export interface MeasuredFetch {
  fetch: ModelFetch
  /** Size of the body that `ask` would send, in bytes. Nothing is sent. */
  measure(body: RequestBody, ask: () => PromiseLike<unknown>): Promise<number>
  /** the result of `ask` for a given answer. Nothing is sent */
  rehearse<T>(answer: object, ask: () => PromiseLike<T>): Promise<T>
  /** Runs `ask`, which may send one request of at most so many bytes. `onBytes` is called for all bytes of the answer. */
  send<T>(sent: { body: RequestBody; most_bytes: number; onBytes: () => void }, ask: () => PromiseLike<T>): Promise<T>
}

export function createMeasuredFetch(fetch: ModelFetch): MeasuredFetch {
  const calls = new AsyncLocalStorage<Call>()
  return {
    async fetch(input, init) {
      const call = calls.getStore()
      if (call === undefined || typeof init?.body !== 'string') throw unmeasured('it is none that was measured')
      call.requests += 1
      if (call.requests > 1) throw unmeasured('a call is one request')
      if (call.rehearsed !== undefined) return Response.json(call.rehearsed)
      const body = call.body.fill(init.body)
      const bytes = utf8Bytes(body)
      if (call.most_bytes === undefined) throw new Measured(bytes)
      if (bytes > call.most_bytes) throw unmeasured(`it has ${bytes} bytes, and ${call.most_bytes} were measured`)
      return withProgress(await fetch(input, { ...init, body }), call.onBytes, init.signal)
    },

    async measure(body, ask) {
      try {
        await calls.run({ body, most_bytes: undefined, requests: 0 }, ask)
      } catch (error) {
        if (error instanceof Measured) return error.bytes
        throw error
      }
      throw new Error('a call of a model sends no request')
    },

    rehearse: async (rehearsed, ask) =>
      await calls.run({ body: AS_WRITTEN, most_bytes: undefined, rehearsed, requests: 0 }, ask),

    send: async (sent, ask) => await calls.run({ ...sent, requests: 0 }, ask),
  }
}

/**
 * Any byte is a sign of life, also those that the AI SDK ignores: thoughts, comments, blanks. The signal is handled here, because that of a
 * request does not reach its answer once Node has collected the response that `fetch` made.
 */
function withProgress(
  response: Response,
  onBytes: (() => void) | undefined,
  signal: AbortSignal | null | undefined,
): Response {
  if (response.body === null || onBytes === undefined) return response
  onBytes()
  let bytes = 0
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      onBytes()
      bytes += chunk.byteLength
      if (bytes > MAX_ANSWER_BYTES) throw tooLong()
      controller.enqueue(chunk)
    },
  })
  const body = response.body.pipeThrough(counted, signal ? { signal } : {})
  return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers })
}

const tooLong = () => new UpstreamError('lost', `the answer is longer than ${MAX_ANSWER_BYTES / (1024 * 1024)} MiB`)

function unmeasured(why: string): DomainError {
  return new DomainError('internal', `A request to a provider was not sent: ${why}.`)
}

export type ModelFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/**
 * Makes the fetch for providers, whose answers are streamed. A provider may be in the same networks as channels: anywhere but at a cloud's
 * metadata service. Redirects are not followed: a key is for the configured address only.
 */
export function createModelFetch(egress: Pick<EgressClient, 'resolve'>): ModelFetch {
  return async (input, init = {}) => {
    const url = input instanceof Request ? input.url : String(input)
    await egress.resolve({ url, egress: DEPLOYMENT_NETWORK, ...(init.signal ? { signal: init.signal } : {}) })
    // biome-ignore lint/style/noRestrictedGlobals: the address of a model is of the deployment, and no redirect is followed
    return await fetch(input, { ...init, redirect: 'error' })
  }
}
