import { AsyncLocalStorage } from 'node:async_hooks'
import { DomainError } from '#core/errors.ts'
import { utf8Bytes } from '#core/utf8-bytes.ts'
import type { ModelFetch } from './model-fetch.ts'
import type { ToolArguments } from './tool-arguments.ts'

interface Call {
  arguments: ToolArguments
  /** what was measured, and reserved; undefined while that is being found out */
  most_bytes: number | undefined
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

/** One way for what is measured and for what is sent, so that both are the same bytes. */
export interface MeasuredFetch {
  fetch: ModelFetch
  /** Bytes of the body that `ask` would send. Nothing is sent. */
  measure(args: ToolArguments, ask: () => PromiseLike<unknown>): Promise<number>
  /** Runs `ask`, which may send one request of at most so many bytes. */
  send<T>(sent: { arguments: ToolArguments; most_bytes: number }, ask: () => PromiseLike<T>): Promise<T>
}

export function createMeasuredFetch(fetch: ModelFetch): MeasuredFetch {
  const calls = new AsyncLocalStorage<Call>()
  return {
    async fetch(input, init) {
      const call = calls.getStore()
      if (call === undefined || typeof init?.body !== 'string') throw unmeasured('it is none that was measured')
      call.requests += 1
      if (call.requests > 1) throw unmeasured('a call is one request')
      const body = call.arguments.fill(init.body)
      const bytes = utf8Bytes(body)
      if (call.most_bytes === undefined) throw new Measured(bytes)
      if (bytes > call.most_bytes) throw unmeasured(`it has ${bytes} bytes, and ${call.most_bytes} were measured`)
      return await fetch(input, { ...init, body })
    },

    async measure(args, ask) {
      try {
        await calls.run({ arguments: args, most_bytes: undefined, requests: 0 }, ask)
      } catch (error) {
        if (error instanceof Measured) return error.bytes
        throw error
      }
      throw new Error('a call of a model sends no request')
    },

    send: async (sent, ask) => await calls.run({ ...sent, requests: 0 }, ask),
  }
}

function unmeasured(why: string): DomainError {
  return new DomainError('internal', `A request to a provider was not sent: ${why}.`)
}
