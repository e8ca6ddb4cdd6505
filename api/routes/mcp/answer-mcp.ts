import { z } from '@hono/zod-openapi'
import { defineRoute, json, ok } from '../../define-route.ts'
import { mustUseOwnName } from '../../middleware/own-name.ts'

const Message = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string().max(200), z.int()]).optional(),
    method: z.string().min(1).max(200),
    params: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'McpMessage', description: 'One request or notification of the Model Context Protocol (JSON-RPC 2.0).' })
const Answer = z
  .looseObject({ jsonrpc: z.literal('2.0') })
  .meta({ id: 'McpAnswer', description: 'The result or the error of a request (JSON-RPC 2.0).' })

export const answerMcpRoute = defineRoute(
  {
    operationId: 'answerMcp',
    method: 'post',
    path: '/mcp',
    tags: ['mcp'],
    access: 'read',
    auth: 'user',
    summary: 'Answer a message of an agent',
    description:
      'Streamable HTTP of the Model Context Protocol, without sessions: each message stands alone and is answered with JSON. Its tools are the read operations of this API, with their own refusals. Only with OBS_OPS_MCP=1.',
    request: { body: json(Message) },
    responses: { 200: ok(Answer, 'The answer to a request'), 202: { description: 'A notification was taken' } },
    offered: ({ mcp }) => mcp,
    admits: mustUseOwnName,
  },
  async (c) => {
    // loaded where it is offered and asked for: the SDK is 25 MB of memory
    const { answerMessage } = await import('../../mcp/answer-message.ts')
    return await answerMessage(c, c.req.valid('json'))
  },
)
