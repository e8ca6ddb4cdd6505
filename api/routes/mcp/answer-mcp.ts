import { z } from '@hono/zod-openapi'
import type { DomainError, ErrorCode } from '#core/errors.ts'
import type { ApiContext } from '../../context.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { mustUseOwnName } from '../../middleware/own-name.ts'
import { PROBLEMS } from '../../problem.ts'
import { ProblemDocument } from '../../schemas/problem.ts'

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

/** Answers a fault of the message as the protocol defines; a caller without permission, or over the rate limit, gets a problem document. */
function asJsonRpc(error: DomainError, c: ApiContext): Response | undefined {
  const code = CODES[error.code]
  if (code === undefined) return undefined
  const batch = Array.isArray(c.get('body_json'))
  const message = batch ? 'Each message is sent alone: batches are not taken.' : error.message
  const { errors } = error.details
  const data = { code: error.code, ...(!batch && errors !== undefined && { errors }) }
  const body = { jsonrpc: '2.0', id: null, error: { code, message, data } }
  return Response.json(body, { status: PROBLEMS[error.code].status })
}

/** Parse error and invalid request of JSON-RPC 2.0. */
const CODES: Partial<Record<ErrorCode, number>> = { malformed_body: -32_700, validation_failed: -32_600 }
const REFUSED = 'What is wrong with the message (JSON-RPC 2.0)'

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
      'Streamable HTTP of the Model Context Protocol, without sessions: each message is independent and is answered with JSON. Its tools are the read operations of this API, with their own refusals. Only with OBS_OPS_MCP=1.',
    request: { body: json(Message) },
    refusal: asJsonRpc,
    responses: {
      200: ok(Answer, 'The answer to a request'),
      202: { description: 'A notification was taken' },
      400: {
        description: `${REFUSED}; or \`invalid_path\`, \`workspace_conflict\``,
        content: { 'application/json': { schema: Answer }, 'application/problem+json': { schema: ProblemDocument } },
      },
      422: ok(Answer, REFUSED),
    },
    offered: ({ mcp }) => mcp,
    admits: mustUseOwnName,
  },
  async (c) => {
    // loaded on first use, if offered: the SDK takes 25 MB of memory
    const { answerMessage } = await import('../../mcp/answer-message.ts')
    return await answerMessage(c, c.req.valid('json'))
  },
)
