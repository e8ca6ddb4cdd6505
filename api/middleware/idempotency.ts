import { z } from '@hono/zod-openapi'
import type { Handler } from 'hono'
import { DomainError, isOutage } from '#core/errors.ts'
import type { IdempotencyKeys } from '#services/read-ports.ts'
import type { ApiContext, ApiEnv } from '../context.ts'
import { toDomainError, validationError } from '../to-domain-error.ts'

export type ErasedHandler = Handler<ApiEnv, string, object, Response | Promise<Response>>

const KEY = /^[\x21-\x7e]{1,200}$/
const Headers = z.object({ 'idempotency-key': z.string().regex(KEY, 'must be 1 to 200 visible ASCII characters') })

/** The header as OpenAPI describes it; it is read here alone, and not as one of all headers. */
export const IDEMPOTENCY_KEY = {
  name: 'idempotency-key',
  in: 'header',
  required: false,
  description: 'Repeats are answered with the first answer for 24 h, also where only that answer was lost',
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
      // a key belongs to its sender: no other caller gets the stored answer
      key: `${c.get('actor').id}:${key}`,
      route: `${operationId} ${c.req.path}`,
      body_hash: c.get('deps').bodyDigest(`${new URL(c.req.url).search}\n${c.get('body_text') ?? ''}`),
    }
    const keys = c.get('deps').idempotency
    const turn = c.get('ctx').ids.next('delivery')
    const state = await keys.begin(request, turn)
    if (state.kind === 'mismatch') {
      throw new DomainError('idempotency_mismatch', 'This Idempotency-Key was used for a different request.')
    }
    if (state.kind === 'busy') {
      throw stillRunning()
    }
    if (state.kind === 'replay') {
      // a status that has no body takes none that is empty
      return new Response(state.response.body || null, {
        status: state.status,
        headers: { ...state.response.headers, 'idempotent-replayed': 'true' },
      })
    }
    if (state.kind === 'kept') return c.json({ delivery_id: state.delivery_id, outcome: 'received', results: [] }, 202)
    const { attempt } = state
    c.set('ctx', { ...c.get('ctx'), attempt })
    try {
      const answer = await act(c, next)
      const stored = await storable(answer)
      const broken = c.get('broken')
      if (broken !== undefined) await giveBack(c, request, turn, broken)
      else if (!(await keys.finish(request, turn, { status: answer.status, response: stored }))) throw stillRunning()
      return answer
    } catch (error) {
      await giveBack(c, request, turn, error)
      throw error
    }
  }
}

/**
 * An error frees the key. After an outage, a conflict or an internal error the result is unknown here, so only a repeat of the request gets
 * the key: its verb looks up what was done.
 */
async function giveBack(
  c: ApiContext,
  request: Parameters<IdempotencyKeys['begin']>[0],
  turn: string,
  error: unknown,
): Promise<void> {
  const keys = c.get('deps').idempotency
  const { code } = toDomainError(error)
  const isUnclear = isOutage(code) || code === 'internal' || code === 'conflict'
  await (isUnclear ? keys.handBack(request, turn) : keys.release(request, turn))
}

function stillRunning(): DomainError {
  return new DomainError('conflict', 'The first request with this Idempotency-Key is still running.', {
    retry_after_s: 1,
  })
}

async function storable(answer: Response): Promise<{ body: string; headers: Record<string, string> }> {
  const headers: Record<string, string> = {}
  for (const name of ['content-type', 'location']) {
    const value = answer.headers.get(name)
    if (value !== null) headers[name] = value
  }
  return { body: await answer.clone().text(), headers }
}
