import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { routes } from '#api/registry.ts'
import { testApi } from '#test/support/api-client.ts'
import { apiDocument, readDocument } from '#test/support/api-document.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { admitTestRun, parkTestRun } from '#test/support/test-runs.ts'

itIsGuarded('getOpenapi')

const Operation = z.looseObject({
  operationId: z.string(),
  summary: z.string().min(5),
  tags: z.array(z.string()).length(1),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  'x-svc-access': z.enum(['read', 'write', 'stream', 'download', 'callback']),
  'x-svc-auth': z.enum(['public', 'user', 'viewer', 'operator', 'approver', 'admin', 'signature']),
  requestBody: z.looseObject({ required: z.boolean().optional() }).optional(),
  responses: z.record(z.string(), z.looseObject({ description: z.string().min(1) })),
})
const Document = z.looseObject({
  openapi: z.literal('3.1.0'),
  info: z.looseObject({ title: z.string(), version: z.string(), description: z.string() }),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.looseObject({ schemas: z.record(z.string(), z.looseObject({ description: z.string().optional() })) }),
})
type Document = z.infer<typeof Document>

let served: object
let document: Document

const database = testDatabase()
const api = testApi(database)
beforeAll(async () => {
  served = z.looseObject({}).parse(await (await api.get('/openapi.json')).json())
  document = Document.parse(readDocument(served))
})

function operations() {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
}

describe('/openapi.json', () => {
  it('describes every mounted route and nothing else', () => {
    const mounted = api.app.routes.filter((route) => route.method !== 'ALL')
    const served = [
      ...new Set(mounted.map((route) => `${route.method.toLowerCase()} ${route.path.replace(/:(\w+)/g, '{$1}')}`)),
    ]
    const described = operations().map(({ method, path }) => `${method} ${path}`)
    expect(served.toSorted()).toEqual(described.toSorted())
    expect(described.length).toBe(routes.length)
  })

  it('is the description that every answer of these tests is held against', () => {
    expect(served).toEqual({ ...JSON.parse(JSON.stringify(apiDocument())), info: document.info })
  })

  it('gives every operation a unique id, a known tag, an access class and a rule of who may call it', () => {
    const ids = operations().map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const tags = document.tags.map((tag) => tag.name)
    for (const { operation } of operations()) {
      expect(tags).toContain(operation.tags[0])
      expect(operation.security.length).toBe(['public', 'signature'].includes(operation['x-svc-auth']) ? 0 : 2)
    }
  })

  it('offers no read that is not a GET but for questions with a body, and guards everything but health, its description and the console', () => {
    const questions = ['answerMcp', 'preflight', 'queryCorpus', 'rehearsePolicy', 'simulatePolicies', 'validateInputs']
    for (const { method, operation } of operations()) {
      if (operation['x-svc-access'] === 'read')
        expect(method).toBe(questions.includes(operation.operationId) ? 'post' : 'get')
      if (operation['x-svc-access'] === 'write') expect(method).not.toBe('get')
    }
    const open = operations().filter(({ operation }) => operation['x-svc-auth'] === 'public')
    expect(open.map(({ operation }) => operation.operationId).toSorted()).toEqual([
      // the state of its flow, and the cookie of the browser that began it, are the proof
      'completeAuthorization',
      // and the code of the terminal that began it
      'confirmAuthorization',
      'getAuthStatus',
      'getConsole',
      'getConsoleFile',
      'getDocs',
      'getDocsAsset',
      'getHealth',
      'getOpenapi',
      'getProblem',
      'getRoot',
      'getSession',
      'issueToken',
      'openSession',
    ])
  })

  it('says of every refusal that it is a problem document', () => {
    for (const { operation } of operations()) {
      const refusals = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400)
      expect(refusals.length).toBeGreaterThan(0)
      for (const [status, response] of refusals) {
        if (operation.operationId === 'getHealth' && status === '503') continue
        // a token endpoint refuses in the words of RFC 6749
        if (operation.operationId === 'issueToken' && status !== '501') continue
        // and so does the callback of one
        if (/^(complete|confirm)Authorization$/.test(operation.operationId) && ['400', '503'].includes(status)) continue
        // clients of OpenAI are refused in their own words
        if (operation.tags[0] === 'models') continue
        // a message of MCP is refused in the words of JSON-RPC
        if (operation.operationId === 'answerMcp' && status === '422') continue
        expect(response['content']).toHaveProperty(['application/problem+json'])
      }
    }
  })

  it('has schemas that are valid JSON Schema 2020-12, and answers fit them', async () => {
    const ajv = addFormats.default(new Ajv2020.Ajv2020({ strict: false, allErrors: true }))
    ajv.addSchema(document, 'svc')
    const conforms = (name: string) => ajv.compile({ $ref: `svc#/components/schemas/${name}` })
    for (const name of Object.keys(document.components.schemas)) conforms(name)

    const id = await admitTestRun(api, {
      alerts: [{ delivery_id: 'dlv_1', member: 'm' }],
      fingerprint: 'a|b|c',
      reason: 'why',
    })
    await parkTestRun(api, id)
    for (const [name, path] of [
      ['Run', `/runs/${id}`],
      ['PendingApproval', `/runs/${id}/pending-approval`],
      ['EventSnapshot', `/runs/${id}/events`],
      ['Problem', '/nowhere'],
      ['HealthReport', '/healthz?verbose'],
    ] as const) {
      const check = conforms(name)
      check(await (await api.get(path)).json())
      expect(check.errors ?? []).toEqual([])
    }
  })

  it('names its schemas', () => {
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining([
        'Run',
        'RunEvent',
        'EventSnapshot',
        'PendingApproval',
        'ApprovalDecision',
        'ApprovalOutcome',
        'Artifact',
        'Problem',
      ]),
    )
  })
})
