import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { neededQuery } from '#test/support/api-document.ts'
import { insertEndedJob } from '#test/support/begin-remote-job.ts'
import { AUTH_ENV, createIdentities, type Member } from '#test/support/identity.ts'
import { ended, type RunBody } from '#test/support/recovery.ts'
import { type Reply, startTestService, type TestService } from '#test/support/service.ts'

const PACKS = fileURLToPath(new URL('../packs/matrix', import.meta.url))
const MATRIX_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const HOME = 'ws_00000000000000000000000000'
const UNKNOWN_RUN = 'run_00000000000000000000000000'
const UNKNOWN_PIPELINE = 'pl_00000000000000000000000000'
const UNKNOWN_WORKSPACE = 'ws_7zzzzzzzzzzzzzzzzzzzzzzzzz'

interface Operation {
  id: string
  method: string
  path: string
  access: string
  auth: string
}

const LADDER = ['viewer', 'approver', 'operator', 'admin', 'owner']
const ADDRESSINGS = ['plain', 'header', 'path', 'disagreeing'] as const
type Addressing = (typeof ADDRESSINGS)[number]

let service: TestService
let demo: DemoService
let operations: Operation[]
let people: Record<string, Member>
let other: Member
let foreign: string
let runId: string
let gateId: string
let scheduleId: string
let pipelineId: string
let haltId = ''
let keyId: string
/** a service account that may answer gates for people */
let answeringId: string
let corpusId: string
let connectionId: string
let jobId: string
const presetIds: Record<string, string> = {}

beforeAll(async () => {
  demo = await startDemoService()
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { ...AUTH_ENV, OBS_TRIGGER_DURABLE: '1', SVC_PACKS_DIR: PACKS, MATRIX_SECRET },
    files: {
      'channels.yaml': `- { name: matrix, kind: webhook, url: "${demo.url}", secret: env:MATRIX_SECRET }`,
    },
  })
  const identities = await createIdentities(service)
  const { body: made } = await service.call<{ id: string }>(
    'POST',
    '/workspaces',
    { slug: 'other', name: 'Other' },
    identities.owner.headers,
  )
  foreign = made.id
  people = { owner: identities.owner }
  for (const role of ['auditor', ...LADDER.filter((each) => each !== 'owner')]) {
    people[role] = await identities.add(role, {
      roles: [role],
      workspaces: ['admin', 'auditor'].includes(role) ? ['*'] : [HOME],
    })
  }
  other = await identities.add('other', { roles: ['operator'], workspaces: [foreign] })
  keyId = await newApiKey((await identities.add('robot', { roles: ['service'] })).id)
  answeringId = (await identities.add('answerer', { roles: ['service'], scopes: ['approvals:on_behalf'] })).id
  runId = await finishedRun()
  const { body: run } = await service.call<{ gates: { gate_id: string }[] }>(
    ...(['GET', `/runs/${runId}`, undefined, identities.owner.headers] as const),
  )
  gateId = run.gates[0]?.gate_id ?? ''
  scheduleId = await newSchedule()
  pipelineId = await endedPipeline()
  for (const kind of AUTHORED) await author(kind)
  for (const kind of PRESETS) presetIds[kind] = await newPreset(kind)
  corpusId = await newCorpus()
  connectionId = await newConnection()
  jobId = await insertEndedJob(service.database.db, runId, HOME)
  operations = await readOperations()
})
afterAll(async () => {
  await demo.stop()
  await service.stop()
})

/** A run of the home workspace that left everything behind that a run can leave. */
async function finishedRun(): Promise<string> {
  const headers = personOf('operator').headers
  await fetch(`${demo.url}/fault`, { method: 'POST' })
  const started = await service.call<RunBody>(
    'POST',
    '/packs/sre/service-recovery/run',
    { inputs: { url: demo.url } },
    headers,
  )
  expect(started.status).toBe(202)
  const { id } = started.body
  await service.until<RunBody>(`/runs/${id}`, (run) => run.status === 'awaiting_approval', undefined, headers)
  expect((await service.call('POST', `/runs/${id}/resume`, { decision: 'approve' }, headers)).status).toBe(200)
  expect((await ended(service, id, undefined, headers)).status).toBe('succeeded')
  return id
}

/** A pipeline of the home workspace that has ended. */
async function endedPipeline(): Promise<string> {
  const { headers } = personOf('operator')
  const body = { bundle_path: 'matrix/matrix', inputs: {} }
  const { body: started } = await service.call<{ pipeline_id: string }>('POST', '/pipelines/run', body, headers)
  const path = `/pipelines/${started.pipeline_id}`
  await service.until<{ status: string }>(path, ({ status }) => status === 'succeeded', undefined, headers)
  return started.pipeline_id
}

/** A schedule of the home workspace that does not fire during this test. */
async function newSchedule(): Promise<string> {
  const { status, body } = await service.call<{ id: string }>(
    'POST',
    '/triggers/scheduled',
    {
      name: `matrix-${crypto.randomUUID()}`,
      cron: '0 0 1 1 *',
      pack: 'sre',
      template: 'service-recovery',
      inputs: { url: demo.url },
    },
    personOf('operator').headers,
  )
  expect(status).toBe(201)
  return body.id
}

/** A halt that stops nothing of this test. */
async function newHalt(): Promise<string> {
  const body = { scope: { environment: 'staging' }, reason: 'of this test' }
  const { body: made } = await service.call<{ id: string }>(
    ...(['POST', '/console/api/halts', body, personOf('owner').headers] as const),
  )
  return made.id
}

/** What is written in the console, each called `matrix`. */
const AUTHORED = ['policies', 'triggers', 'environments', 'profiles'] as const

/** Writes one that is not there. */
async function author(kind: (typeof AUTHORED)[number]): Promise<void> {
  const bodies = {
    policies: { name: 'matrix', rules: [{ effect: 'require_hitl', reason: 'a person decides' }] },
    triggers: {
      ...{ name: 'matrix', on: 'alert', match: { service: 'matrix' }, run: 'sre/service-recovery' },
      inputs: { url: demo.url },
    },
    environments: { name: 'matrix' },
    profiles: { name: 'matrix' },
  }
  const { status } = await service.call('POST', `/ui/api/${kind}`, bodies[kind], personOf('owner').headers)
  expect([201, 409]).toContain(status)
}

const PRESETS = ['config-presets', 'input-presets'] as const

/** A preset that no start of this test names. */
async function newPreset(kind: (typeof PRESETS)[number]): Promise<string> {
  const body = {
    ...{ pack: 'sre', template: 'service-recovery', name: `matrix-${crypto.randomUUID()}` },
    values: { inputs: { url: demo.url } },
  }
  const made = await service.call<{ id: string }>(
    ...(['POST', `/console/api/${kind}`, body, personOf('owner').headers] as const),
  )
  expect(made.status).toBe(201)
  return made.body.id
}

/** A corpus that has the chunk of the examples. */
async function newCorpus(): Promise<string> {
  const body = { name: `matrix-${crypto.randomUUID()}`, source: { kind: 'inline' } }
  const { headers } = personOf('owner')
  const made = await service.call<{ id: string }>('POST', '/ui/api/knowledge', body, headers)
  expect(made.status).toBe(201)
  const documents = [{ path: 'database.md', text: 'Drain the pool first.\n' }]
  await service.call('POST', `/ui/api/knowledge/${made.body.id}/index`, { documents }, headers)
  return made.body.id
}

/** A connection that no environment refers to. */
async function newConnection(): Promise<string> {
  const body = { name: `matrix-${crypto.randomUUID()}`, kind: 'http', auth: 'none', config: { base_url: demo.url } }
  const made = await service.call<{ id: string }>('POST', '/ui/api/connections', body, personOf('owner').headers)
  expect(made.status).toBe(201)
  return made.body.id
}

/** A key of a service account that does nothing in this test. */
async function newApiKey(account: string): Promise<string> {
  const body = { name: 'matrix', account }
  const made = await service.call<{ id: string }>('POST', '/admin/api-keys', body, personOf('owner').headers)
  expect(made.status).toBe(201)
  return made.body.id
}

async function readOperations(): Promise<Operation[]> {
  const { body } = await service.call<{ paths: Record<string, Record<string, Record<string, unknown>>> }>(
    'GET',
    '/openapi.json',
  )
  return Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: String(operation['operationId']),
      method: method.toUpperCase(),
      path,
      access: String(operation['x-svc-access']),
      auth: String(operation['x-svc-auth']),
    })),
  )
}

function personOf(role: string): Member {
  const person = people[role]
  if (person === undefined) throw new Error(`nobody is ${role}`)
  return person
}

/** The operation's path with things of the home workspace in its parameters. */
function targetOf(operation: Operation, run = runId, schedule = scheduleId, pipeline = pipelineId): string {
  const query = new URLSearchParams(neededQuery(operation.id)).toString()
  const path = operation.path
    .replace('/runs/{id}', `/runs/${run}`)
    .replace('/approvals/{id}', `/approvals/${gateId}`)
    .replace('/pipelines/{id}', `/pipelines/${pipeline}`)
    .replace('{step}', 'act')
    .replace('/workspaces/{id}', `/workspaces/${HOME}`)
    .replace('/admin/users/{id}', `/admin/users/${personOf('viewer').id}`)
    .replace('/answering-accounts/{id}', `/answering-accounts/${answeringId}`)
    .replace('/triggers/scheduled/{id}', `/triggers/scheduled/${schedule}`)
    .replace('/console/api/halts/{id}', `/console/api/halts/${haltId}`)
    .replace('/admin/api-keys/{id}', `/admin/api-keys/${keyId}`)
    .replace('/ui/api/knowledge/{id}', `/ui/api/knowledge/${corpusId}`)
    .replace('/console/api/remote-jobs/{id}', `/console/api/remote-jobs/${jobId}`)
    .replace('/ui/api/connections/{id}', `/ui/api/connections/${connectionId}`)
    .replace(/(config-presets|input-presets)\/\{id\}/, (_, kind) => `${kind}/${presetIds[kind]}`)
    .replace('/ask/thread/{id}', '/ask/thread/thr_00000000000000000000000000')
    .replace('{pack}', 'sre')
    .replace('{tpl}', 'service-recovery')
    .replace('{name}', 'matrix')
  return query === '' ? path : `${path}?${query}`
}

function addressed(
  target: string,
  how: Addressing,
  workspace = HOME,
): { path: string; headers: Record<string, string> } {
  if (how === 'plain') return { path: target, headers: {} }
  if (how === 'header') return { path: target, headers: { 'x-svc-workspace': workspace } }
  if (how === 'path') return { path: `/workspaces/${workspace}${target}`, headers: {} }
  return { path: `/workspaces/${workspace}${target}`, headers: { 'x-svc-workspace': foreign } }
}

async function call(operation: Operation, target: string, headers: Record<string, string>): Promise<Reply<Problem>> {
  // streams of a finished run end by themselves; a write gets an empty body, which is refused only behind the guard
  return await service.call<Problem>(operation.method, target, operation.method === 'GET' ? undefined : {}, headers)
}

interface Problem {
  code?: string
  /** the shape of the model endpoints */
  error?: { code?: string }
  [member: string]: unknown
}

const may = (role: string, { access, method }: Operation, need: string) => {
  if (role === 'auditor') return need === 'user' || (access === 'read' && method === 'GET')
  return need === 'user' || LADDER.indexOf(role) >= LADDER.indexOf(need)
}

/** What stands in the cell when the caller is not let through; undefined when he is. */
function refusalOf(operation: Operation, role: string, how: Addressing): string | undefined {
  if (role === 'anonymous') return 'unauthenticated'
  const need = operation.auth === 'signature' ? 'operator' : operation.auth
  if (!may(role === 'other' ? 'operator' : role, operation, need)) return 'forbidden'
  if (how === 'disagreeing') return 'workspace_conflict'
  if (role === 'other' && how !== 'plain') return 'not_found'
  return undefined
}

const GUARD_CODES = ['unauthenticated', 'forbidden', 'workspace_conflict', 'not_found']

/** Not part of this table: public routes, and those whose own signature decides who is let in (they have tests of their own). */
function isGuarded({ auth, access }: Operation): boolean {
  return auth !== 'public' && access !== 'callback'
}

describe('who may call what', () => {
  test('every operation declares its access and who may call it', () => {
    expect(operations.length).toBeGreaterThan(25)
    for (const { id, access, auth } of operations) {
      expect(['read', 'write', 'stream', 'download', 'callback'], id).toContain(access)
      expect(['public', 'signature', 'user', 'viewer', 'approver', 'operator', 'admin', 'owner'], id).toContain(auth)
    }
  })

  test('only the public list answers without a token', () => {
    const open = operations.filter(({ auth }) => auth === 'public').map(({ method, path }) => `${method} ${path}`)
    expect(open.sort()).toEqual(
      [
        'GET /',
        'GET /auth/status',
        'GET /console',
        'GET /console/*',
        'GET /console/api/session',
        'POST /console/api/session',
        'GET /docs',
        'GET /docs/{asset}',
        'GET /healthz',
        'GET /oauth/callback',
        'GET /openapi.json',
        'GET /problems/{code}',
        'POST /oauth/callback',
        'POST /token',
      ].sort(),
    )
  })

  test('every route, role and addressing: only the declared cells are let through', async () => {
    const wrong: string[] = []
    const view = { ...neededQuery('deleteView'), search: {} }
    let cells = 0
    // signing out, also of the console, revokes the token that the other cells use
    const guarded = operations.filter(
      (operation) => isGuarded(operation) && !['logOut', 'closeSession'].includes(operation.id),
    )
    for (const operation of guarded) {
      for (const role of ['anonymous', 'other', 'auditor', ...LADDER]) {
        for (const how of ADDRESSINGS) {
          // what one cell deletes, the next one cannot find
          const schedule = operation.id === 'deleteSchedule' ? await newSchedule() : scheduleId
          if (operation.id === 'liftHalt') haltId = await newHalt()
          if (operation.id === 'deleteCorpus') corpusId = await newCorpus()
          if (operation.id === 'deleteConnection') connectionId = await newConnection()
          const deleted =
            operation.method === 'DELETE' && AUTHORED.find((kind) => operation.path === `/ui/api/${kind}/{name}`)
          if (deleted) await author(deleted)
          const keptPresets = operation.method === 'DELETE' && PRESETS.find((kind) => operation.path.includes(kind))
          if (keptPresets) presetIds[keptPresets] = await newPreset(keptPresets)
          const { path, headers } = addressed(targetOf(operation, runId, schedule), how)
          const bearer = role === 'anonymous' ? {} : (role === 'other' ? other : personOf(role)).headers
          if (operation.id === 'removeAnsweringAccount')
            await service.call('PUT', `/auth/me/answering-accounts/${answeringId}`, undefined, bearer)
          if (operation.id === 'deleteView') await service.call('PUT', '/console/api/views', view, bearer)
          const { status, body } = await call(operation, path, { ...headers, ...bearer })
          const expected = refusalOf(operation, role, how)
          const code = body?.code ?? body?.error?.code ?? ''
          const got = GUARD_CODES.includes(code) ? code : undefined
          cells += 1
          // what the other tenant names without a prefix is looked for at home, where it is not
          const foreignPlain = role === 'other' && how === 'plain' && got === 'not_found'
          if (status >= 500 || (got !== expected && !(expected === undefined && foreignPlain))) {
            wrong.push(
              `${operation.method} ${path} as ${role}, ${how}: ${status} ${code}, expected ${expected ?? 'to pass'} ${body?.detail ?? ''}`,
            )
          }
        }
      }
    }
    expect(wrong).toEqual([])
    expect(cells).toBe(guarded.length * 8 * 4)
  })

  test('what another workspace holds answers byte for byte like what does not exist', async () => {
    const ofRuns = operations.filter((operation) => operation.path.startsWith('/runs/{id}'))
    expect(ofRuns.length).toBeGreaterThan(8)
    for (const operation of ofRuns) {
      const real = await raw(operation, targetOf(operation), other.headers)
      const none = await raw(operation, targetOf(operation, UNKNOWN_RUN), other.headers)
      expect(neutral(real, runId), operation.id).toEqual(neutral(none, UNKNOWN_RUN))
      const entered = await raw(operation, `/workspaces/${HOME}${targetOf(operation)}`, other.headers)
      const nowhere = await raw(operation, `/workspaces/${UNKNOWN_WORKSPACE}${targetOf(operation)}`, other.headers)
      expect(neutral(entered, HOME), operation.id).toEqual(neutral(nowhere, UNKNOWN_WORKSPACE))
      expect(real.status, operation.id).toBe(404)
    }
  })

  test('the same of its pipelines', async () => {
    const ofPipelines = operations.filter((operation) => operation.path.startsWith('/pipelines/{id}'))
    expect(ofPipelines.length).toBe(7)
    for (const operation of ofPipelines) {
      const real = await raw(operation, targetOf(operation), other.headers)
      const none = await raw(operation, targetOf(operation, runId, scheduleId, UNKNOWN_PIPELINE), other.headers)
      expect(neutral(real, pipelineId), operation.id).toEqual(neutral(none, UNKNOWN_PIPELINE))
      expect(real.status, operation.id).toBe(404)
    }
  })

  test('a foreign id takes as long as an unknown one', async () => {
    const times = { real: [] as number[], none: [] as number[] }
    for (let n = 0; n < 100; n += 1) {
      for (const [kind, id] of [
        ['real', runId],
        ['none', UNKNOWN_RUN],
      ] as const) {
        const began = performance.now()
        await service.call('GET', `/runs/${id}`, undefined, other.headers)
        times[kind].push(performance.now() - began)
      }
    }
    expect(Math.abs(quick(times.real) - quick(times.none))).toBeLessThan(5)
  })

  test('nobody sees another workspace in a list', async () => {
    const { body } = await service.call<RunBody[]>('GET', '/runs', undefined, other.headers)
    expect(body).toEqual([])
    const { body: home } = await service.call<RunBody[]>('GET', '/runs', undefined, personOf('viewer').headers)
    expect(home.map((run) => run.id)).toContain(runId)
  })
})

async function raw(operation: Operation, path: string, headers: Record<string, string>) {
  const response = await fetch(`${service.url}${path}`, {
    method: operation.method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(operation.method === 'GET' ? {} : { body: BODIES[operation.id] ?? '{}' }),
  })
  return { status: response.status, headers: [...response.headers], text: await response.text() }
}

/** Bodies that pass their schema, so that the run itself is looked for. */
const BODIES: Record<string, string> = {
  resumeRun: JSON.stringify({ decision: 'approve' }),
  expireGate: JSON.stringify({ reason: 'test' }),
}

/** An answer without what is different in every request. */
function neutral(answer: Awaited<ReturnType<typeof raw>>, id: string) {
  const headers = answer.headers.filter(([name]) => !['date', 'x-request-id', 'server-timing'].includes(name))
  const text = answer.text.replaceAll(id, 'ID').replaceAll(/req_[0-9a-z]{26}/g, 'REQ')
  return {
    status: answer.status,
    headers: headers.map(([name, value]) => `${name}: ${value.replaceAll(id, 'ID')}`),
    text,
  }
}

/** What the quickest tenth needs at most: other load on the machine only makes the slow ones slower. */
function quick(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 10)] ?? 0
}
