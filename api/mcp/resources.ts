import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { ApiContext } from '../context.ts'
import { PackTemplate } from '../schemas/packs.ts'
import { askOperation } from './ask-operation.ts'
import { docPages, readDoc } from './docs.ts'
import type { McpTool } from './mcp-tool.ts'
import { toolResult } from './tool-result.ts'

type Tools = ReadonlyMap<string, McpTool>
type Call = { uri: string; tool: string; given: Record<string, unknown> }

const PACKS = 'svc://packs'
const TEMPLATE = /^svc:\/\/packs\/([^/]+)\/([^/]+)$/

/** Addresses that a client can make itself. */
export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: `${PACKS}/{pack}/{template}`,
    name: 'template',
    title: 'A template: its inputs, steps, risks and connections',
    mimeType: 'application/json',
  },
  {
    uriTemplate: 'svc://docs/errors/{code}.md',
    name: 'error',
    title: 'What an error code means, and what to do',
    mimeType: 'text/markdown',
  },
]

/** The templates that the caller may see, and the pages of the documentation. */
export async function listResources(c: ApiContext, tools: Tools) {
  const answer = await read(c, tools, { uri: PACKS, tool: 'listPacks', given: {} })
  const templates = z.array(PackTemplate).parse(await answer.json())
  const contracts = templates.map(({ pack, template, title, description }) => ({
    uri: `${PACKS}/${pack}/${template}`,
    name: `${pack}/${template}`,
    title,
    ...(description !== undefined && { description }),
    mimeType: 'application/json',
  }))
  const pages = [...(await docPages()).values()].map((page) => ({ ...page, mimeType: 'text/markdown' }))
  return [{ uri: PACKS, name: 'packs', title: 'All templates', mimeType: 'application/json' }, ...contracts, ...pages]
}

/** Returns the text of a resource. Throws an error of the protocol for an unknown or hidden one. */
export async function readResource(c: ApiContext, tools: Tools, uri: string) {
  const page = (await docPages()).get(uri)
  if (page !== undefined) return { uri, mimeType: 'text/markdown', text: await readDoc(page) }
  const [, pack, tpl] = TEMPLATE.exec(uri) ?? []
  if (uri !== PACKS && pack === undefined) throw new ResourceNotFoundError(uri)
  const call = uri === PACKS ? { tool: 'listPacks', given: {} } : { tool: 'getContract', given: { pack, tpl } }
  return { uri, mimeType: 'application/json', text: await (await read(c, tools, { uri, ...call })).text() }
}

/** A resource is the result of a tool, with the tool's permissions. */
async function read(c: ApiContext, tools: Tools, { uri, tool: name, given }: Call): Promise<Response> {
  const tool = tools.get(name)
  if (tool === undefined) throw new ResourceNotFoundError(uri)
  const answer = await askOperation(c, tool, given)
  if (answer.ok) return answer
  if (answer.status === 404 || answer.status === 400) throw new ResourceNotFoundError(uri)
  const { content, structuredContent } = await toolResult(answer, tool)
  throw new ProtocolError(ProtocolErrorCode.InternalError, content[0]?.text ?? 'refused', structuredContent)
}
