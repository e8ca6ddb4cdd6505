import type { ApiContext } from '../context.ts'
import { problemResponse } from '../problem.ts'
import { toDomainError } from '../to-domain-error.ts'
import { callAddress } from './call-address.ts'
import type { McpTool } from './mcp-tool.ts'

/** Returns the answer of the operation itself, as for an HTTP request: its guards apply here too. */
export async function askOperation(
  c: ApiContext,
  tool: McpTool,
  given: Readonly<Record<string, unknown>>,
): Promise<Response> {
  const request_id = c.get('request_id')
  let address: string
  try {
    address = callAddress(tool, given)
  } catch (error) {
    return problemResponse(toDomainError(error), { instance: c.get('full_path'), request_id })
  }
  const authorization = c.req.header('authorization')
  const headers = {
    // the caller's own credentials and workspace
    ...(authorization !== undefined && { authorization }),
    'x-svc-workspace': c.get('ctx').workspace_id,
    'x-request-id': request_id,
    accept: 'application/json, text/markdown',
  }
  return await c.get('ask')(new Request(new URL(address, c.req.url), { headers }), tool.shown.name)
}
