import { existsSync } from 'node:fs'
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import type { Route } from '#api/define-route.ts'
import { routes } from '#api/registry.ts'
import { ProblemDocument } from '#api/schemas/problem.ts'
import { apiDocument } from '../support/api-document.ts'
import { type GuardWorld, openGuardWorld } from '../support/guard-world.ts'
import { CALLBACKS, EXAMPLES, type ExampleRequest } from '../support/operation-examples.ts'

/** The role that is one too low; everybody has one, so that nothing is too low for `user`. */
const ONE_TOO_LOW: Record<string, string> = {
  approver: 'viewer',
  operator: 'approver',
  admin: 'operator',
  owner: 'admin',
}
const UNKNOWN: Record<string, string> = {
  runs: 'run_7zzzzzzzzzzzzzzzzzzzzzzzzz',
  users: 'usr_7zzzzzzzzzzzzzzzzzzzzzzzzz',
  scheduled: 'sch_7zzzzzzzzzzzzzzzzzzzzzzzzz',
  workspaces: 'ws_7zzzzzzzzzzzzzzzzzzzzzzzzz',
}
const KIB = 1_024

let world: GuardWorld
const document = apiDocument()
const operations = new Map(
  Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map((operation) => [operation.operationId, operation] as const),
  ),
)
/** every status that an operation has answered with here */
const seen = new Map<string, Set<number>>()
const ajv = addFormats.default(new Ajv2020.Ajv2020({ strict: false, allErrors: true })).addSchema(document, 'svc')

beforeAll(async () => {
  world = await openGuardWorld(inject('postgres_url'))
})
// while one delivery waits, those that come after it are kept as well and judged later
beforeEach(() => world.api.db`delete from inbox_items`)
afterAll(() => world?.close())

const called = routes.filter(({ access }) => access !== 'callback')
const guarded = called.filter(({ auth }) => auth !== 'public')
const withParams = called.filter(({ path }) => path.includes('{'))
const withBody = guarded.filter(({ operationId }) => operations.get(operationId)?.requestBody !== undefined)
const repeatable = called.filter(({ operationId }) =>
  parameters(operationId, 'header').some(({ name }) => name === 'idempotency-key'),
)
const filtered = guarded.filter(({ operationId }) =>
  parameters(operationId, 'query').some(({ schema }) => wrongValues(schema).length > 0),
)

async function example(route: Route): Promise<ExampleRequest> {
  const found = EXAMPLES[route.operationId]
  if (found === undefined) throw new Error(`${route.operationId} has no row in test/support/operation-examples.ts`)
  return await found.request(world)
}

type Sent = ExampleRequest & { text?: string; prefix?: string }

async function send(route: Route, request: Sent, who: string | undefined = 'owner'): Promise<Response> {
  const { params = {}, query, body, form, headers = {}, text, prefix = '' } = request
  const path = route.path.replace(/\{(\w+)\}/g, (_all, name: string) => params[name] ?? '')
  const sent = text ?? (form ? new URLSearchParams(form).toString() : body && JSON.stringify(body))
  const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
  const answer = await world.api.app.request(`${prefix}${path}${query ? `?${new URLSearchParams(query)}` : ''}`, {
    method: route.method.toUpperCase(),
    headers: { ...(sent === undefined ? {} : { 'content-type': type }), ...world.as(who), ...headers },
    ...(sent === undefined ? {} : { body: sent }),
  })
  const statuses = seen.get(route.operationId) ?? new Set()
  seen.set(route.operationId, statuses.add(answer.status))
  return answer
}

async function refused(route: Route, request: Sent, who?: string): Promise<[number, string]> {
  const answer = await send(route, request, who)
  const text = await answer.text()
  const sound = ProblemDocument.safeParse(JSON.parse(text || 'null'))
  expect(sound.success, `${answer.status} ${text}`).toBe(true)
  return [answer.status, sound.data?.code ?? '']
}

describe('every operation', () => {
  test('is answered for: by an example here, or by the tests of its signature', () => {
    const ids = (of: readonly Route[]) => of.map(({ operationId }) => operationId).sort()
    expect(Object.keys(EXAMPLES).sort()).toEqual(ids(called))
    expect(Object.keys(CALLBACKS).sort()).toEqual(ids(routes.filter(({ access }) => access === 'callback')))
    expect(Object.values(CALLBACKS).filter((file) => !existsSync(file))).toEqual([])
  })
})

/** What ends something and begins nothing, which an archived workspace lets through. */
const ONLY_END = ['cancelRun', 'expireGate']

describe('guards: who is let in', () => {
  test.each(guarded)('$operationId asks who it is', async (route) => {
    const request = await example(route)
    const { headers: _own, ...anonymous } = request
    expect(await refused(route, anonymous, 'nobody')).toEqual([401, 'unauthenticated'])
    expect(await refused(route, anonymous, 'disabled')).toEqual([401, 'unauthenticated'])
    const forged = { ...anonymous, headers: { authorization: 'Bearer e30.e30.x' } }
    expect(await refused(route, forged, 'nobody')).toEqual([401, 'unauthenticated'])
    const answer = await send(route, anonymous, 'nobody')
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
  })

  test.each(guarded.filter(({ auth }) => auth !== 'user'))('$operationId takes the role $auth', async (route) => {
    const { headers: _own, ...request } = await example(route)
    expect(await refused(route, request, ONE_TOO_LOW[route.auth])).toEqual([403, 'forbidden'])
  })

  test.each(guarded)('$operationId knows no workspace that the caller may not enter', async (route) => {
    const { headers: _own, ...request } = await example(route)
    const who = route.auth === 'admin' ? 'owner' : 'operator'
    const closed = route.auth === 'admin' ? 'ws_7zzzzzzzzzzzzzzzzzzzzzzzzz' : world.other
    const inHeader = { ...request, headers: { 'x-svc-workspace': closed } }
    expect(await refused(route, inHeader, who)).toEqual([404, 'not_found'])
    const inPath = { ...request, prefix: `/workspaces/${closed}` }
    expect(await refused(route, inPath, who)).toEqual([404, 'not_found'])
    const torn = { ...inPath, headers: { 'x-svc-workspace': world.archived } }
    expect(await refused(route, torn, who)).toEqual([400, 'workspace_conflict'])
  })

  test.each(guarded)('$operationId in an archived workspace: $access, $scope', async (route) => {
    const { headers: _own, ...request } = await example(route)
    if (route.operationId === 'logOut') return
    const answer = await send(route, { ...request, headers: { 'x-svc-workspace': world.archived } })
    const text = await answer.text()
    if (route.access === 'write' && route.scope === 'workspace' && !ONLY_END.includes(route.operationId))
      expect([answer.status, JSON.parse(text).code]).toEqual([409, 'workspace_archived'])
    else expect(text).not.toContain('workspace_archived')
  })
})

describe('refusals: what is asked', () => {
  test.each(guarded)('$operationId refuses a query parameter that it has not', async (route) => {
    const request = await example(route)
    const surplus = { ...request, query: { ...request.query, surplus: '1' } }
    expect(await refused(route, surplus)).toEqual([422, 'validation_failed'])
  })

  test.each(filtered)('$operationId refuses what its description of the query refuses', async (route) => {
    const request = await example(route)
    for (const { name, schema } of parameters(route.operationId, 'query'))
      for (const value of wrongValues(schema)) {
        const answered = await refused(route, { ...request, query: { ...request.query, [name]: value } })
        expect(answered, `${name}=${value}`).toEqual([422, 'validation_failed'])
      }
  })

  test.each(withParams)('$operationId has no such thing, and none of another workspace', async (route) => {
    const { headers: _own, ...request } = await example(route)
    for (const name of Object.keys(request.params ?? {})) {
      const collection = new RegExp(`(\\w+)/\\{${name}\\}`).exec(route.path)?.[1] ?? ''
      for (const id of [UNKNOWN[collection] ?? 'unknown', 'nonsense', `${request.params?.[name]}x`])
        expect(await refused(route, { ...request, params: { ...request.params, [name]: id } })).toEqual([
          404,
          'not_found',
        ])
    }
    if (route.scope === 'workspace' && route.auth !== 'public' && route.path.includes('{id}'))
      expect(await refused(route, request, 'stranger')).toEqual([404, 'not_found'])
  })

  test.each(withBody)('$operationId refuses a body that is no JSON, of another type or too large', async (route) => {
    const request = await example(route)
    expect(await refused(route, { ...request, text: '{"a":' })).toEqual([400, 'malformed_body'])
    expect(await refused(route, { ...request, text: '{"__proto__":{}}' })).toEqual([400, 'malformed_body'])
    expect(await refused(route, { ...request, text: `"${'x'.repeat(5_121 * KIB)}"` })).toEqual([
      413,
      'payload_too_large',
    ])
    const xml = { ...request, headers: { ...request.headers, 'content-type': 'application/xml' }, text: '<a/>' }
    expect(await refused(route, xml)).toEqual([415, 'unsupported_media_type'])
  })

  test.each(withBody)('$operationId refuses what its description of the body refuses', async (route) => {
    const request = await example(route)
    const fits = ajv.compile({ $ref: `svc#${pointerTo(route, 'requestBody/content/application~1json/schema')}` })
    expect([fits(request.body), fits.errors]).toEqual([true, null])
    const broken = brokenBodies(request.body ?? {}).filter((body) => !fits(body))
    for (const body of broken) {
      const [status, code] = await refused(route, { ...(await example(route)), text: JSON.stringify(body) })
      expect([status, code], JSON.stringify(body).slice(0, 200)).toEqual([
        422,
        expect.stringMatching(/_required$|^validation_failed$|^invalid_schedule$|^unrecognised_alert$/),
      ])
    }
    expect(broken.length).toBeGreaterThan(0)
  })
})

describe('answers', () => {
  test.each(called)('$operationId answers as its description says', async (route) => {
    const answer = await send(route, await example(route))
    const text = await answer.text()
    expect([answer.status, text.slice(0, 300)]).toEqual([EXAMPLES[route.operationId]?.status, expect.anything()])
    const described = operations.get(route.operationId)?.responses[answer.status]
    expect(described, `${answer.status} is not described`).toBeDefined()
    if (described?.content?.['application/json'] === undefined) return
    const fits = ajv.compile({
      $ref: `svc#${pointerTo(route, `responses/${answer.status}/content/application~1json/schema`)}`,
    })
    expect([fits(JSON.parse(text)), fits.errors]).toEqual([true, null])
  })

  test.each(repeatable)('$operationId answers a repeat under the same key as the first time', async (route) => {
    const request = await example(route)
    const keyed = { ...request, headers: { ...request.headers, 'idempotency-key': world.name('key') } }
    const [first, second] = [await send(route, keyed), await send(route, keyed)]
    expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([first.status, 'true'])
    expect(await second.text()).toBe(await first.text())
    const other = await refused(route, { ...keyed, text: `${JSON.stringify(request.body)} ` })
    expect(other).toEqual([422, 'idempotency_mismatch'])
  })

  test('no operation has answered with a status that it does not describe', () => {
    const undescribed = [...seen].flatMap(([id, statuses]) =>
      [...statuses]
        .filter((status) => operations.get(id)?.responses[status] === undefined)
        .map((status) => `${id}: ${status}`),
    )
    expect(undescribed).toEqual([])
    expect(world.api.failures).toEqual([])
    expect(world.api.lines.filter(({ message }) => message === 'request failed unexpectedly')).toEqual([])
  })
})

function parameters(operationId: string, place: string) {
  return (operations.get(operationId)?.parameters ?? []).filter((each) => each.in === place)
}

/** What a query parameter of this type cannot be; texts can be anything. */
function wrongValues({ type, enum: values }: { type?: string; enum?: unknown[] }): string[] {
  if (type === 'integer') return ['x', '-1', '1.5', '']
  return values === undefined ? [] : ['nonsense']
}

function pointerTo(route: Route, rest: string): string {
  return `/paths/${route.path.replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')}/${route.method}/${rest}`
}

/** The body without each of its fields, with each of another type, with one too many, and no object at all. */
function brokenBodies(body: Record<string, unknown>): unknown[] {
  const changed = Object.keys(body).flatMap((field) => {
    const { [field]: _gone, ...rest } = body
    return [rest, ...[null, [[]], { surplus: {} }, 0.5, ''].map((value) => ({ ...body, [field]: value }))]
  })
  return [...changed, { ...body, surplus: 1 }, [], 'text', null]
}
