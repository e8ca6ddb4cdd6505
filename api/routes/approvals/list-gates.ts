import { z } from '@hono/zod-openapi'
import { RISKS } from '#core/policy/types.ts'
import { WaitingGate } from '#core/run/waiting-gate-schema.ts'
import { listGates } from '#services/approvals/list-gates.ts'
import { defineRoute } from '../../define-route.ts'
import { listOf, pageHeaders, pageQuery } from '../../list-response.ts'
import { runSearch, templateAsked } from '../../schemas/run-search.ts'

const { awaiting_me, environment, pack, template } = runSearch

export const listGatesRoute = defineRoute(
  {
    operationId: 'listGates',
    method: 'get',
    path: '/approvals',
    tags: ['approvals'],
    access: 'read',
    auth: 'user',
    summary: 'List what waits for an answer, what expires first in front',
    description:
      'The queue of gates: a line of each, and which answers would be taken from you. With `awaiting_me` a request looks through a thousand gates: a page may be short, or empty, while `Link` names the next one.',
    request: {
      query: z.object({
        awaiting_me: awaiting_me.meta({
          description: 'Only gates that you may approve now, and whose approval by you is still missing',
        }),
        risk: z.enum(RISKS).optional().meta({ description: 'Risk of the gated step', example: 'high' }),
        environment,
        pack,
        template,
        ...pageQuery,
      }),
    },
    responses: { 200: listOf(WaitingGate, 'gates') },
    problems: ['invalid_cursor'],
  },
  async (c) => {
    const { awaiting_me: mine, template: name, ...query } = c.req.valid('query')
    const asked = { ...query, ...templateAsked(query.pack, name), awaiting_me: mine === 'true' }
    const page = await listGates(c.get('ctx'), asked)
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
