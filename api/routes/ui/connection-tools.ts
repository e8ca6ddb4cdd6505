import { z } from '@hono/zod-openapi'
import { ConnectionId } from '#core/connection/schema.ts'
import {
  McpToolAcceptance,
  McpToolDiscovery,
  McpToolName,
  McpToolRecord,
  McpToolsFound,
} from '#core/mcp/record-schema.ts'
import {
  acceptConnectionTool,
  discoverConnectionTools,
  listConnectionTools,
  withdrawConnectionTool,
} from '#services/connections/mcp-tools.ts'
import { defineRoute, json, ok, optionalJson } from '../../define-route.ts'

const PATH = '/ui/api/connections/{id}/tools'
const params = z.object({ id: ConnectionId })
const MAX_BYTES = 8_192

// its words are those of a server: for people, and no tool of an agent
export const listConnectionToolsRoute = defineRoute(
  {
    operationId: 'listConnectionTools',
    method: 'get',
    path: PATH,
    tags: ['connections'],
    access: 'read',
    auth: 'approver',
    scope: 'account',
    summary: 'List the tools of a connection to an MCP server',
    description:
      'As they were discovered last, by name. Steps use accepted tools alone. Names, descriptions and annotations are claims of the server.',
    request: { params },
    responses: { 200: ok(z.array(McpToolRecord), 'The tools, at most 200') },
    problems: ['conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    return c.json(await listConnectionTools(ctx, c.req.valid('param').id), 200)
  },
)

// no Idempotency-Key: a server is asked again by asking again
export const discoverConnectionToolsRoute = defineRoute(
  {
    operationId: 'discoverConnectionTools',
    method: 'post',
    path: PATH,
    tags: ['connections'],
    verb: discoverConnectionTools,
    summary: 'Ask an MCP server for its tools',
    description:
      'Lists them under the egress rules of an environment, for at most 15 seconds, and calls none. What is found is accepted by nobody; what differs from what was accepted becomes `changed`. Takes an owner or admin of all workspaces; it is recorded.',
    request: { params, body: optionalJson(McpToolDiscovery) },
    responses: { 200: ok(McpToolsFound, 'The tools as the server describes them now') },
    problems: ['conflict', 'not_configured'],
    max_body_bytes: MAX_BYTES,
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const { environment } = c.req.valid('json') ?? {}
    return c.json(await discoverConnectionTools(ctx, { id: c.req.valid('param').id, environment }), 200)
  },
)

// no Idempotency-Key: a second acceptance of a definition changes nothing but its time
export const acceptConnectionToolRoute = defineRoute(
  {
    operationId: 'acceptConnectionTool',
    method: 'post',
    path: `${PATH}/{name}/accept`,
    tags: ['connections'],
    verb: acceptConnectionTool,
    summary: 'Accept a tool of an MCP server',
    description:
      'By the digest of the definition that you have read: steps may use it until the server describes it otherwise. `effect: read` says that it changes nothing; no claim of the server does. Takes an owner or admin of all workspaces; it is recorded.',
    request: { params: params.extend({ name: McpToolName }), body: json(McpToolAcceptance) },
    responses: { 200: ok(McpToolRecord, 'The tool as it is now') },
    problems: ['conflict'],
    max_body_bytes: MAX_BYTES,
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    return c.json(await acceptConnectionTool(ctx, { ...c.req.valid('param'), ...c.req.valid('json') }), 200)
  },
)

// no Idempotency-Key: what is taken back cannot be taken back again
export const withdrawConnectionToolRoute = defineRoute(
  {
    operationId: 'withdrawConnectionTool',
    method: 'post',
    path: `${PATH}/{name}/withdraw`,
    tags: ['connections'],
    verb: withdrawConnectionTool,
    summary: 'Take back the acceptance of a tool',
    description:
      'Steps use it no more, until it is accepted again; a step that waits for approval fails when it is approved. Takes an owner or admin of all workspaces; it is recorded.',
    request: { params: params.extend({ name: McpToolName }) },
    responses: { 200: ok(McpToolRecord, 'The tool as it is now') },
    problems: ['conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    return c.json(await withdrawConnectionTool(ctx, c.req.valid('param')), 200)
  },
)
