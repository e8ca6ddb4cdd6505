import { DomainError, type FieldError } from '#core/errors.ts'
import { jsonPointer } from '#core/json/json.ts'
import type { ApiContext } from '../context.ts'
import { isCanonical } from '../middleware/canonical-path.ts'
import { problemResponse } from '../problem.ts'
import { toDomainError } from '../to-domain-error.ts'
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

/** Builds the path and query of a call. Throws `validation_failed`, `invalid_path`; the route checks limits and values. */
export function callAddress({ path, places, shown }: McpTool, given: Readonly<Record<string, unknown>>): string {
  const values = new Map<string, string>()
  const errors: FieldError[] = []
  for (const [name, value] of Object.entries(given)) {
    if (!places.has(name))
      errors.push(wrong(name, `is no argument of this tool; ${taken(places)}`, 'unrecognized_keys'))
    else if (isScalar(value)) values.set(name, String(value))
    else errors.push(wrong(name, 'takes one text, number or truth value', 'invalid_type'))
  }
  for (const name of shown.inputSchema.required)
    if (!Object.hasOwn(given, name)) errors.push(wrong(name, 'is missing', 'missing'))
  const [first] = errors
  if (first !== undefined) throw new DomainError('validation_failed', `${first.pointer}: ${first.msg}`, { errors })
  const segments = [...values].filter(([name]) => places.get(name) === 'path').map(([, value]) => value)
  // one segment each: a slash would change the path
  if (segments.some((value) => value.includes('/') || !isCanonical(`/${value}`) || value === ''))
    throw new DomainError('invalid_path', 'An argument has characters that no name or id has, or is empty.')
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => values.get(name) ?? '')
  const query = new URLSearchParams([...values].filter(([name]) => places.get(name) === 'query'))
  return query.size === 0 ? filled : `${filled}?${query}`
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function taken(places: McpTool['places']): string {
  return places.size === 0 ? 'it takes none' : `it takes ${[...places.keys()].join(', ')}`
}

function wrong(name: string, msg: string, type: string): FieldError {
  return { pointer: jsonPointer([name]), loc: [name], in: 'arguments', msg, type }
}
