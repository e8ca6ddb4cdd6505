import { z } from '@hono/zod-openapi'
import { AskThread } from '#core/ask/ask-schema.ts'
import { getAskThread } from '#services/ask/get-ask-thread.ts'
import { defineRoute, ok } from '../../define-route.ts'

const Params = z.object({
  id: z.string().max(100).meta({ description: 'Id of a thread', example: 'thr_01hzy3v9k5m8q2w4x6z8b0d2f4' }),
})

export const getAskThreadRoute = defineRoute(
  {
    operationId: 'getAskThread',
    method: 'get',
    path: '/ask/thread/{id}',
    tags: ['ask'],
    access: 'read',
    auth: 'user',
    summary: 'A conversation with the ask agent',
    description:
      'What the caller asked in this thread and what was answered, oldest first. A thread of somebody else looks exactly like one that does not exist: empty.',
    request: { params: Params },
    responses: { 200: ok(AskThread, 'The thread; empty if there is none') },
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ask: c.get('deps').ask.ports }
    return c.json(await getAskThread(ctx, c.req.valid('param').id), 200)
  },
)
