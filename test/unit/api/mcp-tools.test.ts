import { readFileSync } from 'node:fs'
import { z } from '@hono/zod-openapi'
import { describe, expect, test } from 'vitest'
import { defineRoute, ok, type Route } from '#api/define-route.ts'
import { callAddress } from '#api/mcp/ask-operation.ts'
import type { McpTool } from '#api/mcp/mcp-tool.ts'
import { MAX_RESULT_CHARS, toolResult } from '#api/mcp/tool-result.ts'
import { toolsOf } from '#api/mcp/tools.ts'
import { RETRY } from '#api/mcp.ts'
import { PROBLEM_CODES } from '#api/problem.ts'
import { routes } from '#api/registry.ts'
import { apiDocument, readDocument } from '#test/support/api-document.ts'

const document = readDocument()
const tools = toolsOf(routes, apiDocument())
/** what is chosen by `accept` is JSON here */
/** With the page that a browser is sent in the place of JSON. */
const READ_BY_MODELS = new Set(['application/json', 'text/markdown', 'text/yaml', 'text/html'])
const PINNED: { name: string; annotations: object }[] = JSON.parse(
  readFileSync(new URL('../../pins/mcp-tools.json', import.meta.url), 'utf8'),
)

function toolOf(name: string): McpTool {
  const tool = tools.get(name)
  if (tool === undefined) throw new Error(`no tool ${name}`)
  return tool
}

describe('the set of tools', () => {
  test('is the set of reads that the description of the API names, and nothing else', () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.entries(methods))
    const reads = operations.filter(([method, operation]) => {
      const description = operation as unknown as Record<string, unknown>
      return method === 'get' && description['x-svc-access'] === 'read' && description['x-svc-auth'] === 'user'
    })
    expect(PINNED.map(({ name }) => name).sort()).toEqual(reads.map(([, { operationId }]) => operationId).sort())
    expect(PINNED.length).toBeGreaterThan(35)
  })

  test('has no mutation, stream, download, callback, admin or meta route', () => {
    const left = routes.filter(({ operationId }) => !tools.has(operationId))
    expect(left.filter(({ method }) => method !== 'get').every(({ operationId }) => !tools.has(operationId))).toBe(true)
    for (const name of ['streamRun', 'downloadArtifact', 'getMetrics', 'listUsers', 'listApiKeys', 'listInbox'])
      expect(left.map(({ operationId }) => operationId)).toContain(name)
    for (const name of ['resumeRun', 'cancelRun', 'runTemplate', 'preflight', 'answerMcp', 'getHealth', 'getProblem'])
      expect(tools.has(name)).toBe(false)
  })

  test.each(['write', 'stream', 'download', 'callback'] as const)('leaves out a GET of access %s', (access) => {
    expect(toolsOf([made({ access })], { paths: {} }).size).toBe(0)
  })

  test.each(['operator', 'admin', 'owner', 'approver', 'public', 'signature'] as const)(
    'leaves out auth %s',
    (auth) => {
      expect(toolsOf([made({ auth })], { paths: {} }).size).toBe(0)
    },
  )

  test('refuses a read that is not described', () => {
    expect(() => toolsOf([made({})], { paths: {} })).toThrow()
  })

  test('says of each that it only reads', () => {
    for (const { annotations } of PINNED)
      expect(annotations).toMatchObject({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      })
  })

  test('offers no argument that makes a download of an answer', () => {
    const tabular = Object.values(document.paths)
      .flatMap(({ get }) => (get === undefined ? [] : [get]))
      .filter(({ operationId }) => tools.has(operationId))
      .filter(({ responses }) => Object.keys(responses['200']?.content ?? {}).some((type) => !READ_BY_MODELS.has(type)))
      .map(({ operationId }) => operationId)
    expect(tabular).toEqual(['listAudit'])
    for (const { shown } of tools.values())
      expect(Object.keys(shown.inputSchema.properties), shown.name).not.toContain('format')
    expect(Object.keys(toolOf('listAudit').shown.inputSchema.properties)).not.toContain('format')
  })
})

describe('the address of a call', () => {
  const RUN = `run_${'0'.repeat(26)}`

  test('has its arguments where the route takes them', () => {
    expect(callAddress(toolOf('getStep'), { id: RUN, step: 'act' })).toBe(`/runs/${RUN}/steps/act`)
    expect(callAddress(toolOf('listRuns'), { q: 'a&limit=9 #x', limit: 3 })).toBe('/runs?q=a%26limit%3D9+%23x&limit=3')
    expect(callAddress(toolOf('listPacks'), {})).toBe('/packs')
  })

  test.each([
    '..',
    '.',
    '',
    '../artifacts/download',
    '/',
    '//x',
    'a/b',
    '%2e%2e',
    'a%2fb',
    'a?x=1',
    'a#x',
    'a;b',
    'a\\b',
    'ä',
    ' ',
  ])('is none with %j for a name', (step) => {
    expect(() => callAddress(toolOf('getStep'), { id: RUN, step })).toThrow(
      expect.objectContaining({ code: 'invalid_path' }),
    )
  })

  test.each([
    ['an argument that is not there', { id: RUN, format: 'csv' }],
    ['a list', { id: [RUN] }],
    ['an object', { id: { toString: 'x' } }],
    ['null', { id: null }],
    ['nothing at all', {}],
    ['names of the language', JSON.parse('{"constructor": "x", "id": "y"}')],
  ])('is none with %s', (_what, given) => {
    expect(() => callAddress(toolOf('getRun'), given)).toThrow(expect.objectContaining({ code: 'validation_failed' }))
  })
})

describe('the result of a call', () => {
  const json = (value: unknown, headers: Record<string, string> = {}) =>
    new Response(JSON.stringify(value), { headers: { 'content-type': 'application/json', ...headers } })

  test('names what a list is, and where it goes on', async () => {
    const link = { link: '</runs?limit=2&cursor=abc%3D>; rel="next"', 'x-total-count': '7' }
    const { structuredContent, content } = await toolResult(json([1, 2], link), toolOf('listRuns'))
    expect(structuredContent).toEqual({ items: [1, 2], next_cursor: 'abc=', total: 7 })
    expect(JSON.parse(content[0]?.text ?? '')).toEqual(structuredContent)
  })

  test('says what of a list it leaves out, and gives no cursor that would lead past it', async () => {
    const items = Array.from({ length: 50 }, () => 'x'.repeat(5_000))
    const link = { link: '</runs?cursor=abc>; rel="next"', 'x-total-at-least': '1000' }
    const { structuredContent, content } = await toolResult(json(items, link), toolOf('listRuns'))
    expect(structuredContent).toEqual({
      items: items.slice(0, 19),
      total_at_least: 1_000,
      cut: 'Only the first 19 of these 50 fit into the 100000 characters of a result. Ask for less with `limit`.',
    })
    expect(content[0]?.text.length).toBeLessThan(MAX_RESULT_CHARS + 1_000)
  })

  test('says that an object is cut', async () => {
    const { structuredContent = {} } = await toolResult(json({ text: 'x'.repeat(200_000) }), toolOf('getRun'))
    expect(structuredContent['cut']).toMatch(/^200011 characters/)
    expect(structuredContent['excerpt']).toHaveLength(MAX_RESULT_CHARS)
  })

  test('says that a report is cut, and never in the middle of a character', async () => {
    const body = `x${'😀'.repeat(MAX_RESULT_CHARS)}`
    const report = new Response(body, { headers: { 'content-type': 'text/markdown; charset=utf-8' } })
    const { content, structuredContent } = await toolResult(report, toolOf('getReport'))
    expect(structuredContent).toBeUndefined()
    expect(content[0]?.text).toMatch(/\[Cut: these are the first 100000 of 200001 characters\.\]$/)
    expect(content[0]?.text.isWellFormed()).toBe(true)
  })

  test('is no download', async () => {
    const csv = new Response('a,b', { headers: { 'content-type': 'text/csv' } })
    await expect(toolResult(csv, toolOf('listAudit'))).rejects.toThrow('text/csv')
  })

  test.each(PROBLEM_CODES)('says of %s whether trying again helps', async (code) => {
    const problem = {
      type: `/problems/${code}`,
      title: 't',
      status: 400,
      detail: 'd.',
      instance: '/',
      code,
      request_id: 'r',
    }
    const answer = new Response(JSON.stringify(problem), { status: 400 })
    const { isError, structuredContent, content } = await toolResult(answer, toolOf('getRun'))
    expect([isError, structuredContent?.['code'], structuredContent?.['retry']]).toEqual([true, code, RETRY[code]])
    expect(content[0]?.text).toContain(`${code} (HTTP 400): d.`)
  })

  test('only of what passes by itself says that the same may succeed', () => {
    expect(PROBLEM_CODES.filter((code) => RETRY[code] === 'same').sort()).toEqual([
      'audit_unavailable',
      'conflict',
      'dependency_unavailable',
      'rate_limited',
    ])
  })
})

function made(spec: Partial<Pick<Route, 'access' | 'auth'>>): Route {
  const route = defineRoute(
    {
      operationId: 'planted',
      method: 'get',
      path: '/planted',
      tags: ['runs'],
      summary: 'Planted',
      access: 'read',
      auth: 'user',
      responses: { 200: ok(z.object({}), 'nothing') },
    },
    (c) => c.json({}, 200),
  )
  return { ...route, ...spec }
}
