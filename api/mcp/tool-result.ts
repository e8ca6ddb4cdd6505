import { cutText } from '#core/text/text.ts'
import { RETRY, type Retry } from '../mcp.ts'
import { ProblemDocument } from '../schemas/problem.ts'
import type { McpTool } from './mcp-tool.ts'

/** Size that a model can read at once; also the minimum that clients must accept. */
export const MAX_RESULT_CHARS = 100_000

/** The result of a tool as the protocol has it. */
export interface ToolResult {
  [field: string]: unknown
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: true
}

const ADVICE: Record<Retry, string> = {
  same: 'The same call may succeed later.',
  other: 'The same call will be refused again; other arguments may succeed.',
  never: 'Retrying does not help: it takes another person, another key or a change to the deployment.',
}

/** Converts an answer of the API to a tool result, cut to the size that a model can read. */
export async function toolResult(answer: Response, tool: McpTool): Promise<ToolResult> {
  const type = answer.headers.get('content-type') ?? ''
  const text = await answer.text()
  if (!answer.ok) return refused(text)
  if (type.startsWith('application/json')) return structured(fitting(JSON.parse(text), answer.headers, tool))
  if (type.startsWith('text/markdown')) return { content: [{ type: 'text', text: fitted(text) }] }
  // a download is nothing that a model reads
  throw new Error(`${tool.shown.name} was answered with ${type}`)
}

/** Names a list, and adds its paging headers. */
function fitting(value: unknown, headers: Headers, tool: McpTool): Record<string, unknown> {
  if (Array.isArray(value)) return fittingList(value, headers, tool)
  const text = JSON.stringify(value)
  if (text.length <= MAX_RESULT_CHARS && typeof value === 'object' && value !== null) return { ...value }
  const cut = `${text.length} characters are more than the ${MAX_RESULT_CHARS} of a result; \`excerpt\` is how they begin.${narrower(tool)}`
  return { cut, excerpt: cutText(text, MAX_RESULT_CHARS) }
}

function fittingList(items: unknown[], headers: Headers, tool: McpTool): Record<string, unknown> {
  const paging = pagingOf(headers)
  let [size, shown] = [0, 0]
  for (const item of items) {
    size += JSON.stringify(item).length + 1
    if (size > MAX_RESULT_CHARS) break
    shown += 1
  }
  if (shown === items.length) return { items, ...paging }
  // the cursor would skip the part that is cut here
  const { next_cursor: _past, ...counts } = paging
  const cut = `Only the first ${shown} of these ${items.length} fit into the ${MAX_RESULT_CHARS} characters of a result.${narrower(tool)}`
  return { items: items.slice(0, shown), ...counts, cut }
}

function narrower({ places }: McpTool): string {
  return places.has('limit') ? ' Ask for less with `limit`.' : ''
}

function pagingOf(headers: Headers): { next_cursor?: string; total?: number; total_at_least?: number } {
  const [, next = ''] = /<([^<>]*)>; rel="next"/.exec(headers.get('link') ?? '') ?? []
  const cursor = new URLSearchParams(next.split('?')[1]).get('cursor')
  const [total, atLeast] = [headers.get('x-total-count'), headers.get('x-total-at-least')]
  return {
    ...(cursor === null ? {} : { next_cursor: cursor }),
    ...(total === null ? {} : { total: Number(total) }),
    ...(atLeast === null ? {} : { total_at_least: Number(atLeast) }),
  }
}

function structured(structuredContent: Record<string, unknown>): ToolResult {
  // also as text: many clients show their model nothing else
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
}

/** An error is a result too: the model reads the fault, and whether it can correct it. */
function refused(text: string): ToolResult {
  const { code, status, detail, request_id, errors, retry_after_s } = ProblemDocument.parse(JSON.parse(text))
  const retry = isCode(code) ? RETRY[code] : 'never'
  const after = retry_after_s === undefined ? '' : ` Wait ${retry_after_s} s.`
  return {
    isError: true,
    content: [{ type: 'text', text: `${code} (HTTP ${status}): ${detail} ${ADVICE[retry]}${after}` }],
    structuredContent: {
      code,
      status,
      detail,
      request_id,
      retry,
      ...(errors !== undefined && { errors }),
      ...(retry_after_s !== undefined && { retry_after_s }),
    },
  }
}

function isCode(code: string): code is keyof typeof RETRY {
  return Object.hasOwn(RETRY, code)
}

function fitted(text: string): string {
  if (text.length <= MAX_RESULT_CHARS) return text
  return `${cutText(text, MAX_RESULT_CHARS)}\n\n[Cut: these are the first ${MAX_RESULT_CHARS} of ${text.length} characters.]`
}
