import { z } from '@hono/zod-openapi'
import { DomainError } from '#core/errors.ts'
import type { ApiContext } from '../context.ts'
import type { ErasedHandler } from '../define-route.ts'
import { validationError } from '../to-domain-error.ts'

const KEY = /^[\x21-\x7e]{1,200}$/
const Headers = z.object({ 'idempotency-key': z.string().regex(KEY, 'must be 1 to 200 visible ASCII characters') })

/** The header as OpenAPI describes it; it is read here alone, and not as one of all headers. */
export const IDEMPOTENCY_KEY = {
  name: 'idempotency-key',
  in: 'header',
  required: false,
  description: 'Repeats are answered with the first answer for 24 h',
  schema: { type: 'string', pattern: KEY.source, example: 'deploy-4711' },
} as const

/** Answers a repeated request with the first answer. Runs after validation, so a key is spent on acceptable requests only. */
export function withIdempotency(operationId: string, act: ErasedHandler): ErasedHandler {
  return async (c, next) => {
    const key = c.req.header('idempotency-key')
    if (key === undefined) return act(c, next)
    const sound = Headers.safeParse({ 'idempotency-key': key })
    if (!sound.success) throw validationError('header', sound.error.issues)
    const request = {
      workspace_id: c.get('ctx').workspace_id,
      // a key belongs to whoever sent it: nobody is answered with what somebody else was told
      key: `${c.get('actor').id}:${key}`,
      route: `${operationId} ${c.req.path}`,
      body_hash: c.get('deps').bodyDigest(`${new URL(c.req.url).search}\n${c.get('body_text') ?? ''}`),
    }
    const keys = c.get('deps').idempotency
    const state = await keys.begin(request, c.get('ctx').ids.next('delivery'))
    if (state.kind === 'mismatch') {
      throw new DomainError('idempotency_mismatch', 'This Idempotency-Key was used for a different request.')
    }
    if (state.kind === 'busy') {
      throw new DomainError('conflict', 'The first request with this Idempotency-Key is still running.', {
        retry_after_s: 1,
      })
    }
    if (state.kind === 'replay') {
      return new Response(state.response.body, {
        status: state.status,
        headers: { ...state.response.headers, 'idempotent-replayed': 'true' },
      })
    }
    if (state.kind === 'kept') return c.json({ delivery_id: state.delivery_id, outcome: 'received', results: [] }, 202)
    c.set('attempt', { id: state.delivery_id, again: state.again })
    try {
      const answer = await act(c, next)
      await keys.finish(request, { status: answer.status, response: await storable(answer) })
      return answer
    } catch (error) {
      await keys.release(request).catch((failure: unknown) => warnUnreleased(c, failure))
      throw error
    }
  }
}

async function storable(answer: Response): Promise<{ body: string; headers: Record<string, string> }> {
  const headers: Record<string, string> = {}
  for (const name of ['content-type', 'location']) {
    const value = answer.headers.get(name)
    if (value !== null) headers[name] = value
  }
  return { body: await answer.clone().text(), headers }
}

function warnUnreleased(c: ApiContext, failure: unknown): void {
  c.get('deps').log.warn({ request_id: c.get('request_id'), err: failure }, 'idempotency key was not released')
}
