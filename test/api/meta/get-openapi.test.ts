import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { z } from 'zod'
import { routes } from '#api/registry.ts'
import { createTestApi, type TestApi } from '#test/support/api-client.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { admitTestRun, parkTestRun } from '#test/support/test-runs.ts'

itIsGuarded('getOpenapi')

const Operation = z.looseObject({
  operationId: z.string(),
  summary: z.string().min(5),
  tags: z.array(z.string()).length(1),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  'x-svc-access': z.enum(['read', 'write', 'stream', 'download', 'callback']),
  'x-svc-auth': z.enum(['public', 'user', 'operator', 'approver', 'admin', 'signature']),
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

let database: TestDatabase
let api: TestApi
let document: Document

beforeAll(async () => {
  database = await createTestDatabase(inject('postgres_url'))
  api = await createTestApi(database)
  document = Document.parse(await (await api.get('/openapi.json')).json())
})
afterAll(async () => {
  await api?.close()
  await database?.drop()
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

  it('gives every operation a unique id, a known tag, an access class and a rule of who may call it', () => {
    const ids = operations().map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const tags = document.tags.map((tag) => tag.name)
    for (const { operation } of operations()) {
      expect(tags).toContain(operation.tags[0])
      expect(operation.security.length).toBe(['public', 'signature'].includes(operation['x-svc-auth']) ? 0 : 2)
    }
  })

  it('offers no read that is not a GET, and guards everything but health and its own description', () => {
    for (const { method, operation } of operations()) {
      if (operation['x-svc-access'] === 'read') expect(method).toBe('get')
      if (operation['x-svc-access'] === 'write') expect(method).not.toBe('get')
    }
    const open = operations().filter(({ operation }) => operation['x-svc-auth'] === 'public')
    expect(open.map(({ operation }) => operation.operationId).toSorted()).toEqual([
      'getAuthStatus',
      'getDocs',
      'getDocsAsset',
      'getHealth',
      'getOpenapi',
      'getProblem',
      'getRoot',
      'issueToken',
      'signIn',
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

describe('the route table', () => {
  it('changes on purpose only', () => {
    const table = routes.map(
      (route) => `${route.method.toUpperCase()} ${route.path} ${route.operationId} ${route.access} ${route.auth}`,
    )
    expect(table).toEqual([
      'GET / getRoot read public',
      'GET /healthz getHealth read public',
      'GET /metrics getMetrics download user',
      'GET /openapi.json getOpenapi download public',
      'GET /docs getDocs download public',
      'GET /docs/{asset} getDocsAsset download public',
      'GET /problems/{code} getProblem read public',
      'POST /token issueToken write public',
      'POST /sign-in signIn write public',
      'GET /auth/status getAuthStatus read public',
      'GET /auth/me getMe read user',
      'PATCH /auth/me updateMe write user',
      'POST /auth/logout logOut write user',
      'POST /admin/users inviteUser write admin',
      'GET /admin/users listUsers read admin',
      'PATCH /admin/users/{id} updateUser write admin',
      'POST /admin/users/{id}/password setPassword write user',
      'POST /admin/api-keys createApiKey write admin',
      'GET /admin/api-keys listApiKeys read admin',
      'DELETE /admin/api-keys/{id} revokeApiKey write admin',
      'GET /runs listRuns read user',
      'GET /runs/{id} getRun read user',
      'GET /runs/{id}/events listEvents read user',
      'GET /runs/{id}/stream streamRun stream user',
      'GET /runs/{id}/artifacts listArtifacts read user',
      'GET /runs/{id}/steps listSteps read user',
      'GET /runs/{id}/steps/{step} getStep read user',
      'GET /runs/{id}/artifacts/download downloadArtifact download user',
      'GET /runs/{id}/report getReport read user',
      'GET /runs/{id}/deliveries listRunDeliveries read user',
      'GET /deliveries listDeliveries read user',
      'POST /runs/{id}/cancel cancelRun write operator',
      'GET /runs/{id}/pending-approval pendingApproval read user',
      'POST /runs/{id}/resume resumeRun write approver',
      'POST /runs/{id}/expire expireGate write operator',
      'GET /triggers/approve/{workflow_id} showApprovalLink callback signature',
      'POST /triggers/approve/{workflow_id} decideApprovalLink callback signature',
      'POST /approvals/dismiss dismissGates write operator',
      'GET /packs listPacks read user',
      'POST /packs/{pack}/{tpl}/run runTemplate write operator',
      'POST /triggers/alert receiveAlerts write operator',
      'POST /triggers/pattern receivePattern write operator',
      'POST /triggers/manual startManually write operator',
      'POST /triggers/slack/{channel} receiveSlack callback signature',
      'POST /triggers/ingress/{pack}/{name} receiveIngress callback signature',
      'GET /triggers/scheduled listSchedules read user',
      'POST /triggers/scheduled createSchedule write operator',
      'PATCH /triggers/scheduled/{id} updateSchedule write operator',
      'DELETE /triggers/scheduled/{id} deleteSchedule write operator',
      'GET /triggers/inbox listInbox read operator',
      'POST /triggers/inbox postInbox write operator',
      'POST /triggers/inbox/replay replayInbox write operator',
      'GET /workspaces listWorkspaces read user',
      'POST /workspaces createWorkspace write admin',
      'PATCH /workspaces/{id} updateWorkspace write admin',
      'DELETE /workspaces/{id} archiveWorkspace write admin',
      'GET /console/api/halts listHalts read user',
      'POST /console/api/halts setHalt write admin',
      'DELETE /console/api/halts/{id} liftHalt write admin',
      'GET /ui/api/policies listConsolePolicies read user',
      'POST /ui/api/policies createConsolePolicy write admin',
      'GET /ui/api/policies/{name} getConsolePolicy read user',
      'PUT /ui/api/policies/{name} updateConsolePolicy write admin',
      'DELETE /ui/api/policies/{name} deleteConsolePolicy write admin',
      'GET /ui/api/triggers listConsoleTriggers read user',
      'POST /ui/api/triggers createConsoleTrigger write admin',
      'GET /ui/api/triggers/{name} getConsoleTrigger read user',
      'PUT /ui/api/triggers/{name} updateConsoleTrigger write admin',
      'DELETE /ui/api/triggers/{name} deleteConsoleTrigger write admin',
      'GET /ui/api/environments listEnvironments read user',
      'POST /ui/api/environments createEnvironment write admin',
      'GET /ui/api/environments/{name} getEnvironment read user',
      'PUT /ui/api/environments/{name} updateEnvironment write admin',
      'DELETE /ui/api/environments/{name} deleteEnvironment write admin',
      'PUT /ui/api/environments/{name}/policies attachPolicies write admin',
      'GET /ui/api/profiles listProfiles read user',
      'POST /ui/api/profiles createProfile write admin',
      'GET /ui/api/profiles/{name} getProfile read user',
      'PUT /ui/api/profiles/{name} updateProfile write admin',
      'DELETE /ui/api/profiles/{name} deleteProfile write admin',
      'GET /ui/api/profiles/{name}/form getProfileForm read user',
      'PUT /ui/api/profiles/{name}/form putProfileForm write admin',
    ])
  })
})
